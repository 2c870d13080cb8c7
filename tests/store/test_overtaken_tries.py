"""Several tries of one task, and tasks of one partition, where workers die and freeze."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import Engine

from app.store import outbox, tasks, workers
from app.store.outbox import Order
from app.store.session import read_only, unit_of_work
from app.store.tasks import LOOK_AGAIN, Task, TaskState
from app.store.workers import Worker

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
STAGES = frozenset({"judge", "publish"})


@pytest.fixture
def store(app_store: Engine) -> Engine:
    with unit_of_work(app_store) as session:
        for name in ("one", "two"):
            workers.register(session, Worker(name, "host", 1, "0.1.0"))
        orders = [
            Order("judge:1", "judge", {}, "octo/widgets"),
            Order("publish:1", "publish", {}, "octo/widgets"),
            Order("judge:2", "judge", {}, "octo/gears"),
            Order("judge:3", "judge", {}),
            Order("fetch:1", "fetch", {}, "octo/widgets"),
        ]
        tasks.note_once(session, orders, at=NOON)
    return app_store


def begin(store: Engine, key: str, executor: str, *, number: int = 1) -> Task | None:
    with unit_of_work(store) as session:
        return tasks.begin_try(session, key, number=number, at=NOON, executor=executor, apart_from=STAGES)


def task(store: Engine, key: str) -> Task:
    with read_only(store) as session:
        found = tasks.by_key(session, key)
    assert found is not None
    return found


def end_overtaken(store: Engine, token: int) -> list[bool]:
    with unit_of_work(store) as session:
        return [
            tasks.finish(session, "judge:1", at=NOON, token=token),
            tasks.bury(session, "judge:1", at=NOON, family="bug", error="x", token=token),
            tasks.wait(session, "judge:1", at=NOON, next_at=NOON, family="bug", error="x", token=token),
        ]


def test_end_of_a_try_that_was_overtaken_is_not_recorded(store: Engine) -> None:
    frozen = begin(store, "judge:1", "one")
    later = begin(store, "judge:1", "two")
    assert frozen is not None
    assert later is not None
    assert end_overtaken(store, frozen.total_tries) == [False, False, False]
    running = task(store, "judge:1")
    assert (running.state, running.executor, running.interrupted) == (TaskState.RUNNING, "two", 1)
    with unit_of_work(store) as session:
        assert tasks.finish(session, "judge:1", at=NOON, token=later.total_tries)
    assert end_overtaken(store, later.total_tries) == [False, False, False]
    assert task(store, "judge:1").state is TaskState.DONE


def test_end_of_a_try_from_before_a_person_retried_is_not_recorded(store: Engine) -> None:
    first = begin(store, "judge:1", "one")
    assert first is not None
    with unit_of_work(store) as session:
        tasks.bury(session, "judge:1", at=NOON, family="bug", error="x")
        tasks.requeue(session, "judge:1", at=NOON)
    assert end_overtaken(store, first.total_tries) == [False, False, False]
    assert task(store, "judge:1").state is TaskState.QUEUED


@pytest.mark.parametrize("key", ["judge:1", "publish:1"])
def test_task_is_put_off_while_another_worker_is_at_its_partition(store: Engine, key: str) -> None:
    other = {"judge:1": "publish:1", "publish:1": "judge:1"}[key]
    running = begin(store, other, "one")
    assert running is not None
    assert begin(store, key, "two") is None
    put_off = task(store, key)
    assert (put_off.state, put_off.total_tries, put_off.number) == (TaskState.QUEUED, 0, 2)
    with read_only(store) as session:
        (order,) = outbox.waiting(session, now=NOON + LOOK_AGAIN, limit=9)
        assert outbox.waiting(session, now=NOON, limit=9) == []
    assert (order.key, order.number, order.partition) == (key, 2, "octo/widgets")
    with unit_of_work(store) as session:
        tasks.finish(session, other, at=NOON, token=running.total_tries)
    assert begin(store, key, "two", number=2) is not None


def test_partition_of_a_worker_that_has_no_lease_is_free(store: Engine) -> None:
    begin(store, "judge:1", "one")
    with unit_of_work(store) as session:
        workers.leave(session, "one")
    assert begin(store, "publish:1", "two") is not None


def test_other_partitions_other_stages_and_no_partition_are_not_put_off(store: Engine) -> None:
    begin(store, "judge:1", "one")
    for key in ("judge:2", "judge:3"):
        assert begin(store, key, "two") is not None
    with unit_of_work(store) as session:
        assert tasks.begin_try(session, "fetch:1", number=1, at=NOON, executor="two") is not None


def test_task_that_its_dead_worker_was_running_is_not_in_its_own_way(store: Engine) -> None:
    begin(store, "judge:1", "one")
    again = begin(store, "judge:1", "two")
    assert again is not None
    assert again.interrupted == 1
