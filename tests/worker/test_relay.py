"""The relay: nothing is lost or run twice, wherever it dies."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from bench import NOON, Bench
from sqlalchemy.exc import IntegrityError, OperationalError
from written_delivery import write_delivery

from app.domain.ids import DeliveryId
from app.store import inbox, outbox, tasks
from app.store.inbox import DeliveryState
from app.store.outbox import Order
from app.store.session import read_only, unit_of_work
from app.store.tasks import TaskState
from worker.queue.relay import Relay


class Died(Exception):
    """The process ends here, as far as the relay is concerned."""


class Queue:
    """An engine's memory: enqueuing under one name twice leaves one entry."""

    def __init__(self) -> None:
        self.entries: dict[str, Order] = {}
        self.ended: set[str] = set()

    def enqueue(self, order: Order) -> bool:
        name = f"{order.key}#{order.number}"
        self.entries.setdefault(name, order)
        return name not in self.ended


def relay(bench: Bench, enqueue: Callable[[Order], bool], wake: threading.Event | None = None) -> Relay:
    return Relay(
        store=bench.store,
        inbox=bench.deps.inbox,
        enqueue=enqueue,
        clock=bench.clock,
        poll_interval_s=60,
        wake=wake or threading.Event(),
    )


def deliver(bench: Bench, guid: str, state: DeliveryState = DeliveryState.WAITING) -> None:
    write_delivery(bench.deps.inbox, guid, at=bench.clock.now(), state=state)


def delivery_state(bench: Bench, guid: str) -> DeliveryState:
    with read_only(bench.deps.inbox) as session:
        found = inbox.by_guid(session, DeliveryId(guid))
    assert found is not None
    return found.state


def ask(bench: Bench, *orders: Order) -> None:
    with unit_of_work(bench.store) as session:
        outbox.ask(session, *orders)


def test_delivery_becomes_the_first_task_of_its_run(bench: Bench) -> None:
    queue = Queue()
    deliver(bench, "g1")
    assert relay(bench, queue.enqueue).turn() == 2
    assert queue.entries == {
        "delivery:g1#1": Order("delivery:g1", "record_run", {"schema": 1, "delivery": "g1"})
    }
    assert bench.task("delivery:g1").state is TaskState.QUEUED
    assert delivery_state(bench, "g1") is DeliveryState.RELAYED


def test_delivery_that_starts_nothing_stays_where_it_is(bench: Bench) -> None:
    queue = Queue()
    deliver(bench, "g1", DeliveryState.IGNORED)
    assert relay(bench, queue.enqueue).turn() == 0
    assert (queue.entries, delivery_state(bench, "g1")) == ({}, DeliveryState.IGNORED)


def test_second_turn_has_nothing_to_do(bench: Bench) -> None:
    queue = Queue()
    deliver(bench, "g1")
    relay(bench, queue.enqueue).turn()
    assert relay(bench, queue.enqueue).turn() == 0


def test_orders_are_carried_in_the_order_they_were_written(bench: Bench) -> None:
    queue = Queue()
    ask(bench, *(Order(f"k{number}", "judge_groups", {}, partition="r") for number in (3, 1, 2)))
    relay(bench, queue.enqueue).turn()
    assert list(queue.entries) == ["k3#1", "k1#1", "k2#1"]


def test_order_waits_until_it_is_due(bench: Bench) -> None:
    queue = Queue()
    ask(bench, Order("k", "fetch_artifacts", {}, run_after=NOON + timedelta(seconds=5)))
    assert relay(bench, queue.enqueue).turn() == 0
    bench.clock.advance(5)
    assert relay(bench, queue.enqueue).turn() == 1


def test_more_than_a_batch_is_carried_in_several_turns(bench: Bench) -> None:
    queue = Queue()
    ask(bench, *(Order(f"k{number}", "fetch_artifacts", {}) for number in range(450)))
    moving = relay(bench, queue.enqueue)
    assert [moving.turn() for _ in range(4)] == [200, 200, 50, 0]
    assert len(queue.entries) == 450


@pytest.mark.parametrize(
    ("statement", "table", "in_inbox"),
    [
        ("INSERT", "outbox", False),
        ("UPDATE", "deliveries", True),
        ("INSERT", "tasks", False),
        ("UPDATE", "outbox", False),
    ],
)
def test_death_before_any_of_its_writes_loses_nothing_and_repeats_nothing(
    bench: Bench, statement: str, table: str, *, in_inbox: bool
) -> None:
    queue = Queue()
    database = bench.deps.inbox if in_inbox else bench.store
    deliver(bench, "g1")
    ask(bench, *([Order("k", "judge_groups", {})] if table != "outbox" or statement != "INSERT" else []))
    bench.forbid(statement, table, engine=database)
    with pytest.raises(IntegrityError, match="died here"):
        relay(bench, queue.enqueue).turn()
    bench.allow(engine=database)
    relay(bench, queue.enqueue).turn()
    assert "delivery:g1#1" in queue.entries
    assert delivery_state(bench, "g1") is DeliveryState.RELAYED
    assert bench.due() == []


@pytest.mark.parametrize("survives", [0, 1, 2])
def test_death_between_two_enqueues_carries_the_rest_later(bench: Bench, survives: int) -> None:
    queue = Queue()

    def dies_after_some(order: Order) -> bool:
        if len(queue.entries) == survives:
            raise Died
        return queue.enqueue(order)

    ask(bench, *(Order(f"k{number}", "fetch_artifacts", {}) for number in range(3)))
    with pytest.raises(Died):
        relay(bench, dies_after_some).turn()
    relay(bench, queue.enqueue).turn()
    assert list(queue.entries) == ["k0#1", "k1#1", "k2#1"]


def test_start_over_carries_the_unfinished_again_under_the_same_names(bench: Bench) -> None:
    queue, refilled = Queue(), Queue()
    deliver(bench, "g1")
    ask(bench, Order("k", "fetch_artifacts", {}))
    relay(bench, queue.enqueue).turn()
    starting = relay(bench, refilled.enqueue)
    assert starting.start_over() == 2
    starting.turn()
    assert refilled.entries == queue.entries
    assert delivery_state(bench, "g1") is DeliveryState.RELAYED


def test_delivery_whose_order_the_store_has_lost_is_asked_for_again(bench: Bench) -> None:
    queue = Queue()
    deliver(bench, "g1")
    with unit_of_work(bench.deps.inbox) as session:
        inbox.mark_relayed(session, [DeliveryId("g1")], at=NOON)
    starting = relay(bench, queue.enqueue)
    starting.start_over()
    starting.turn()
    assert list(queue.entries) == ["delivery:g1#1"]


def test_delivery_of_long_ago_is_not_touched_at_a_start(bench: Bench) -> None:
    deliver(bench, "g1")
    moving = relay(bench, Queue().enqueue)
    moving.turn()
    bench.clock.advance(2 * 24 * 3600)
    moving.start_over()
    assert delivery_state(bench, "g1") is DeliveryState.RELAYED


def test_order_that_ended_in_the_queue_but_not_in_the_store_gets_a_new_number(bench: Bench) -> None:
    queue = Queue()
    queue.ended = {"k#1", "k#2"}
    ask(bench, Order("k", "fetch_artifacts", {}))
    moving = relay(bench, queue.enqueue)
    assert [moving.turn() for _ in range(4)] == [1, 1, 1, 0]
    assert list(queue.entries) == ["k#1", "k#2", "k#3"]


def test_order_that_ended_in_both_is_not_repeated(bench: Bench) -> None:
    queue = Queue()
    ask(bench, Order("k", "fetch_artifacts", {}))
    relay(bench, queue.enqueue).turn()
    with unit_of_work(bench.store) as session:
        tasks.relay_unfinished_again(session)
        tasks.finish(session, "k", at=NOON)
    queue.ended = {"k#1"}
    relay(bench, queue.enqueue).turn()
    assert bench.due() == []


def test_database_in_trouble_is_tried_again(bench: Bench) -> None:
    stop, wake, tries = threading.Event(), threading.Event(), []

    def enqueue(order: Order) -> bool:
        tries.append(order.key)
        if len(tries) == 1:
            raise OperationalError("INSERT", {}, Exception("database is locked"))
        stop.set()
        return True

    ask(bench, Order("k", "fetch_artifacts", {}))
    relay(bench, enqueue, wake).run(stop)
    assert tries == ["k", "k"]
    assert bench.due() == []


def test_order_written_in_this_process_ends_the_pause(bench: Bench) -> None:
    """The pause is a minute here, so only being woken explains the answer."""
    stop, wake, carried = threading.Event(), threading.Event(), threading.Event()
    turning = threading.Thread(
        target=relay(bench, lambda _order: carried.set() is None, wake).run, args=(stop,)
    )
    turning.start()
    ask(bench, Order("k", "fetch_artifacts", {}))
    wake.set()
    assert carried.wait(timeout=10)
    stop.set()
    wake.set()
    turning.join(timeout=10)
    assert not turning.is_alive()
