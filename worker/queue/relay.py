"""The relay: carries deliveries and orders from where they were written to the engine."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from app.clock import Clock
from app.domain.ids import DeliveryId
from app.store import inbox, outbox, tasks
from app.store.outbox import Order
from app.store.session import one_statement, read_only, unit_of_work
from worker.deps import FIRST_STAGE
from worker.queue.retry import describe

BATCH = 200
"""Orders carried between two looks at `stop`."""

AFTER_FAILURE_S = 1.0

DELIVERED_AGAIN = timedelta(days=1)
"""Longer than any commit of the store waits in memory."""

log = structlog.get_logger(__name__)


def first_order(delivery: DeliveryId) -> Order:
    return Order(
        key=f"delivery:{delivery}", stage=FIRST_STAGE, payload={"schema": 1, "delivery": str(delivery)}
    )


class Relay:
    """Moves each order once: written down, handed over, ticked off, in that order.

    Each step may be repeated, since order and engine know their keys; so a death between two of them, or
    two relays at once, lose nothing and run nothing twice. `enqueue` returns False for an order that the
    engine has ended already.
    """

    def __init__(
        self,
        *,
        store: Engine,
        inbox: Engine,
        enqueue: Callable[[Order], bool],
        clock: Clock,
        poll_interval_s: float,
        wake: threading.Event,
    ) -> None:
        self._store = store
        self._inbox = inbox
        self._enqueue = enqueue
        self._clock = clock
        self._poll_interval_s = poll_interval_s
        self._wake = wake

    def start_over(self) -> int:
        """At a worker's start, have everything unfinished carried once more; return how many tasks that is.

        A killed process needs none of it. It is for databases that do not agree, because one of them lost
        its last writes in a power cut, was restored or was deleted; where they agree it changes nothing.
        """
        with unit_of_work(self._inbox) as session:
            inbox.wait_again(session, since=self._clock.now() - DELIVERED_AGAIN)
        with unit_of_work(self._store) as session:
            return tasks.relay_unfinished_again(session)

    def run(self, stop: threading.Event) -> None:
        """Turn until `stop` is set. Setting `wake` ends a pause: somebody in this process wrote orders, or
        set `stop`. A database that cannot be used is tried again.
        """
        while not stop.is_set():
            self._wake.clear()
            try:
                busy = self.turn() > 0
            except SQLAlchemyError as error:
                log.warning("relay cannot use a database", error=describe(error))
                stop.wait(AFTER_FAILURE_S)
            else:
                self._wake.wait(0 if busy else self._poll_interval_s)

    def turn(self) -> int:
        """Carry what is due, at most a batch of each kind; return how much that was."""
        now = self._clock.now()
        return self._accept_deliveries(now) + self._relay_orders(now)

    def _accept_deliveries(self, now: datetime) -> int:
        with read_only(self._inbox) as session:
            delivered = inbox.waiting(session, limit=BATCH)
        if delivered:
            with unit_of_work(self._store) as session:
                outbox.ask(session, *map(first_order, delivered))
            with one_statement(self._inbox) as session:  # the web waits for this lock
                inbox.mark_relayed(session, delivered, at=now)
        return len(delivered)

    def _relay_orders(self, now: datetime) -> int:
        with read_only(self._store) as session:
            orders = outbox.waiting(session, now=now, limit=BATCH)
        if orders:
            with unit_of_work(self._store) as session:
                tasks.note_once(session, orders, at=now)
            ended = [order for order in orders if not self._enqueue(order)]
            with unit_of_work(self._store) as session:
                outbox.mark_relayed(session, orders, at=now)
                for order in ended:  # the queue remembers an end that the store, if it says otherwise, lost
                    tasks.order_again(session, order.key, number=order.number, at=now)
        return len(orders)
