"""Tasks and outbox together: a key names work once, each try is an order of its own."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine

from app.store import outbox, tasks
from app.store.base import Base
from app.store.outbox import Order
from app.store.session import open_engine, read_only, sqlite_url, unit_of_work
from app.store.tasks import TaskState

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ORDER = Order("fetch:1", "fetch_artifacts", {"schema": 1}, partition="octo/widgets")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(sqlite_url(tmp_path / "app.db"))
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


def due(store: Engine, *, at: datetime = NOON) -> list[Order]:
    with read_only(store) as session:
        return outbox.waiting(session, now=at, limit=10)


def test_order_is_read_as_it_was_written(store: Engine) -> None:
    with unit_of_work(store) as session:
        assert outbox.ask(session, ORDER) == 1
    assert due(store) == [ORDER]


def test_key_asked_for_again_is_known_whatever_else_the_order_says(store: Engine) -> None:
    with unit_of_work(store) as session:
        outbox.ask(session, ORDER)
        assert outbox.ask(session, Order("fetch:1", "other_stage", {"schema": 2})) == 0
    assert due(store) == [ORDER]


def test_transaction_that_fails_leaves_no_order(store: Engine) -> None:
    def asks_and_fails() -> None:
        with unit_of_work(store) as session:
            outbox.ask(session, ORDER)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asks_and_fails()
    assert due(store) == []


def test_relayed_order_is_not_due_again_but_its_next_number_is(store: Engine) -> None:
    with unit_of_work(store) as session:
        outbox.ask(session, ORDER)
        tasks.note_once(session, [ORDER], at=NOON)
        outbox.mark_relayed(session, [ORDER], at=NOON)
    assert due(store) == []
    with unit_of_work(store) as session:
        tasks.bury(session, "fetch:1", at=NOON, family="rejected", error="no")
        tasks.requeue(session, "fetch:1", at=NOON)
    assert [order.number for order in due(store)] == [2]


def test_task_is_noted_once(store: Engine) -> None:
    with unit_of_work(store) as session:
        assert tasks.note_once(session, [ORDER, Order("fetch:2", "fetch_artifacts", {})], at=NOON) == 2
        tasks.finish(session, "fetch:1", at=NOON)
        assert tasks.note_once(session, [ORDER], at=NOON) == 0
    with read_only(store) as session:
        assert tasks.counts(session) == {TaskState.DONE: 1, TaskState.QUEUED: 1}


def test_only_a_dead_task_can_be_requeued(store: Engine) -> None:
    with unit_of_work(store) as session:
        tasks.note_once(session, [ORDER], at=NOON)
        assert tasks.requeue(session, "fetch:1", at=NOON) is None
        assert tasks.requeue(session, "unknown", at=NOON) is None
    assert due(store) == []


def given_to_the_engine(store: Engine, *names: str) -> None:
    orders = [Order(name, "fetch_artifacts", {}) for name in names]
    with unit_of_work(store) as session:
        outbox.ask(session, *orders)
        tasks.note_once(session, orders, at=NOON)
        outbox.mark_relayed(session, orders, at=NOON)


def test_orders_of_unfinished_tasks_are_relayed_again_and_no_others(store: Engine) -> None:
    given_to_the_engine(store, "queued", "running", "done", "dead", "waiting")
    later = NOON + timedelta(minutes=1)
    with unit_of_work(store) as session:
        tasks.begin_try(session, "running", number=1, at=NOON)
        tasks.finish(session, "done", at=NOON)
        tasks.bury(session, "dead", at=NOON, family="bug", error="x")
        tasks.wait(session, "waiting", at=NOON, next_at=later, family="unavailable", error="x")
    with unit_of_work(store) as session:
        assert tasks.relay_unfinished_again(session) == 2
    assert [(order.key, order.number) for order in due(store, at=later)] == [
        ("queued", 1),
        ("running", 1),
        ("waiting", 2),
    ]


def test_lost_task_is_ordered_under_a_new_number(store: Engine) -> None:
    given_to_the_engine(store, "fetch:1")
    with unit_of_work(store) as session:
        assert tasks.order_again(session, "fetch:1", number=1, at=NOON)
    assert [(order.key, order.number) for order in due(store)] == [("fetch:1", 2)]


def test_task_that_ended_or_was_ordered_meanwhile_is_not_lost(store: Engine) -> None:
    given_to_the_engine(store, "ended", "ordered")
    with unit_of_work(store) as session:
        tasks.finish(session, "ended", at=NOON)
        assert tasks.order_again(session, "ordered", number=1, at=NOON)
        assert not tasks.order_again(session, "ordered", number=1, at=NOON)
        assert not tasks.order_again(session, "ended", number=1, at=NOON)


def test_reader_neither_waits_for_a_writer_nor_sees_what_it_has_not_committed(store: Engine) -> None:
    """A reader that took the write lock would wait here for the busy timeout, then fail."""
    with unit_of_work(store) as writing:
        outbox.ask(writing, ORDER)
        assert due(store) == []
    assert due(store) == [ORDER]
