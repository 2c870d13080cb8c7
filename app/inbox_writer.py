"""Deliveries that arrive together are stored together: one commit, and one wait for the disk, for all.

Each delivery's own commit would have them wait in turn, and threads that want SQLite's lock at once sleep
between their tries.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import anyio
import structlog
from anyio import CapacityLimiter, to_thread
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from app.domain.errors import Unavailable
from app.intake import TURN_S
from app.store import inbox
from app.store.inbox import StoredDelivery
from app.store.session import unit_of_work

log = structlog.get_logger(__name__)

TOGETHER: Final = 32
TOGETHER_BYTES: Final = 1024 * 1024
"""Bodies of one commit; a larger one goes alone, so that it fills the disk for itself only."""

Outcome = bool | Unavailable


@dataclass(slots=True)
class Waiting:
    delivery: StoredDelivery
    headers: dict[str, str]
    turn: "asyncio.Future[None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    done: "asyncio.Future[bool]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class InboxWriter:
    """Used from one event loop. It has one thread, which pages cannot take from it."""

    def __init__(self, inbox_engine: Engine) -> None:
        self._engine = inbox_engine
        self.unstored_bytes: int | None = None
        """Size of a delivery that could not be stored, until another one is: there has to be room for it."""
        self._thread = CapacityLimiter(1)
        self._waiting: list[Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def store(self, delivery: StoredDelivery, headers: dict[str, str]) -> bool:
        """Returns once it is committed: whether it is new. Raises Unavailable where it was not, in time, so
        that GitHub shows it as failed.
        """
        one = Waiting(delivery, headers)
        self._waiting.append(one)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        try:
            with anyio.fail_after(TURN_S):
                await one.turn
        except TimeoutError:
            raise Unavailable("delivery", "too many wait to be stored; send it again") from None
        return await one.done  # a thread that runs already is waited for

    async def _write_all(self) -> None:
        while batch := self._next():
            for one in batch:
                one.turn.set_result(None)
            outcomes: Sequence[bool | Exception]
            try:
                outcomes = await to_thread.run_sync(self._commit, batch, limiter=self._thread)
            except Exception as error:  # noqa: BLE001 - whoever waits must hear of it, whatever it is
                outcomes = [error] * len(batch)
            for one, outcome in zip(batch, outcomes, strict=True):
                if one.done.cancelled():
                    continue  # who sent it has gone; it is stored all the same
                if isinstance(outcome, Exception):
                    one.done.set_exception(outcome)
                else:
                    one.done.set_result(outcome)

    def _next(self) -> list[Waiting]:
        """The longest waiting ones, as many as go into one commit; who gave up waiting is left out."""
        waiting = [one for one in self._waiting if not one.turn.done()]
        size_bytes, count = 0, 0
        for one in waiting[:TOGETHER]:
            size_bytes += len(one.delivery.body)
            if count and size_bytes > TOGETHER_BYTES:
                break
            count += 1
        self._waiting = waiting[count:]
        return waiting[:count]

    def _commit(self, batch: Sequence[Waiting]) -> list[Outcome]:
        """In the thread. What a database has against one delivery is not held against the others."""
        try:
            outcomes: list[Outcome] = list(self._commit_together(batch))
        except DBAPIError as error:
            is_expected = isinstance(error, OperationalError)  # a full disk, a lock, a folder without rights
            if not is_expected and len(batch) > 1:
                return [self._commit([one])[0] for one in batch]
            log.warning("delivery is not stored", reason=str(error.orig), exc_info=not is_expected)
            self.unstored_bytes = max(len(one.delivery.body) for one in batch)
            return [Unavailable("delivery", "it could not be stored; send it again") for _ in batch]
        self.unstored_bytes = None
        return outcomes

    def _commit_together(self, batch: Sequence[Waiting]) -> list[bool]:
        """In the order of their names, so that two processes cannot wait for each other."""
        ordered = sorted(range(len(batch)), key=lambda place: batch[place].delivery.guid)
        is_new = [False] * len(batch)
        with unit_of_work(self._engine) as session:
            for place in ordered:
                is_new[place] = inbox.record_once(session, batch[place].delivery, batch[place].headers)
        return is_new
