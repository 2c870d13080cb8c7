"""One try of a task: what is recorded for each way it can end."""

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from bench import Bench
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from app.domain.errors import Conflict, Gone, Rejected, Unavailable
from app.store import outbox, tasks
from app.store.outbox import Order
from app.store.session import unit_of_work
from app.store.tasks import TaskState
from worker.deps import Deps, Handler, Stage
from worker.queue.retry import RetryPolicy
from worker.queue.runner import TaskRunner

ORDER = Order("fetch:1", "fetch_artifacts", {"schema": 1, "run": 1}, partition="octo/widgets")
POLICY = RetryPolicy(max_tries=5, base_s=2)


def runner(bench: Bench, handler: Handler, after_try: Callable[[], None] = lambda: None) -> TaskRunner:
    pipeline = {"fetch_artifacts": Stage("fetch_artifacts", "fetch", handler)}
    return TaskRunner(bench.deps, pipeline, POLICY, after_try=after_try)


def raises(error: Exception) -> Handler:
    def handler(_deps: Deps, _payload: Mapping[str, Any]) -> None:
        raise error

    return handler


def succeeds(_deps: Deps, _payload: Mapping[str, Any]) -> None:
    return


def test_stage_gets_dependencies_and_payload_and_the_task_is_done(bench: Bench) -> None:
    seen: list[object] = []
    bench.note(ORDER)
    runner(bench, lambda deps, payload: seen.append((deps, payload))).run_try("fetch:1", 1)
    task = bench.task("fetch:1")
    assert seen == [(bench.deps, {"schema": 1, "run": 1})]
    assert (task.state, task.tries, task.total_tries, task.error) == (TaskState.DONE, 1, 1, None)


def test_what_somebody_else_did_already_is_done(bench: Bench) -> None:
    bench.note(ORDER)
    runner(bench, raises(Conflict("comment", "is there"))).run_try("fetch:1", 1)
    assert bench.task("fetch:1").state is TaskState.DONE


@pytest.mark.parametrize("error", [Rejected("payload", "no run"), Gone("run 1", "deleted")])
def test_what_cannot_succeed_is_dead_at_once_with_its_reason(bench: Bench, error: Exception) -> None:
    bench.note(ORDER)
    runner(bench, raises(error)).run_try("fetch:1", 1)
    task = bench.task("fetch:1")
    assert (task.state, task.error) == (TaskState.DEAD, str(error))
    assert task.error_family == type(error).__name__.lower()
    assert bench.due() == []


def test_what_may_pass_waits_with_an_order_that_is_due_then_and_not_before(bench: Bench) -> None:
    bench.note(ORDER)
    runner(bench, raises(Unavailable("runs", "rate limit", retry_after_s=60))).run_try("fetch:1", 1)
    task = bench.task("fetch:1")
    assert (task.state, task.error_family) == (TaskState.WAITING, "unavailable")
    assert task.next_at is not None
    assert bench.due() == []
    bench.clock.at = task.next_at
    again = Order(ORDER.key, ORDER.stage, ORDER.payload, ORDER.partition, run_after=task.next_at, number=2)
    assert bench.due() == [again]


def test_waiting_task_runs_again_under_its_new_order(bench: Bench) -> None:
    bench.note(ORDER)
    runner(bench, raises(Unavailable("runs", "502"))).run_try("fetch:1", 1)
    runner(bench, succeeds).run_try("fetch:1", 2)
    task = bench.task("fetch:1")
    assert (task.state, task.tries, task.error, task.next_at) == (TaskState.DONE, 2, None, None)


def test_order_that_has_been_overtaken_does_nothing(bench: Bench) -> None:
    bench.note(ORDER)
    runner(bench, raises(Unavailable("runs", "502"))).run_try("fetch:1", 1)
    runner(bench, lambda _deps, _payload: pytest.fail("it ran")).run_try("fetch:1", 1)
    task = bench.task("fetch:1")
    assert (task.state, task.tries) == (TaskState.WAITING, 1)


def test_task_that_is_done_does_not_run_again(bench: Bench) -> None:
    bench.note(ORDER)
    runner(bench, succeeds).run_try("fetch:1", 1)
    runner(bench, lambda _deps, _payload: pytest.fail("it ran")).run_try("fetch:1", 1)
    assert bench.task("fetch:1").tries == 1


def test_bug_is_tried_three_times_then_dead_with_type_and_message(bench: Bench) -> None:
    bench.note(ORDER)
    for number in (1, 2, 3):
        assert bench.task("fetch:1").state is not TaskState.DEAD
        runner(bench, raises(KeyError("head_sha"))).run_try("fetch:1", number)
    task = bench.task("fetch:1")
    assert (task.state, task.error_family, task.error) == (TaskState.DEAD, "bug", "KeyError: 'head_sha'")


def test_recorded_error_holds_neither_secrets_nor_control_characters(bench: Bench) -> None:
    bench.note(ORDER)
    hostile = "GET https://user:hunter2@host with ghs_12_eyJhbGciOi.J9-x_y.z said \x1b[2J\u202e"
    runner(bench, raises(RuntimeError(hostile + "x" * 10_000))).run_try("fetch:1", 1)
    error = bench.task("fetch:1").error
    assert error is not None
    assert error.startswith(r"RuntimeError: GET https://[secret]@host with [secret] said \u001b[2J\u202exxx")
    assert len(error) == 2000


def test_stage_that_this_version_does_not_know_is_dead(bench: Bench) -> None:
    bench.note(Order("replay:1", "replay_suspects", {}))
    runner(bench, succeeds).run_try("replay:1", 1)
    task = bench.task("replay:1")
    assert (task.state, task.error) == (
        TaskState.DEAD,
        "task: this version has no stage called 'replay_suspects'",
    )


def test_task_that_was_running_when_three_workers_ended_is_dead_without_a_further_try(bench: Bench) -> None:
    bench.note(ORDER)
    for _ in range(3):
        with unit_of_work(bench.store) as session:
            assert tasks.begin_try(session, "fetch:1", number=1, at=bench.clock.now()) is not None
    runner(bench, lambda _deps, _payload: pytest.fail("it ran")).run_try("fetch:1", 1)
    task = bench.task("fetch:1")
    assert task.state is TaskState.DEAD
    assert task.error == "task: its worker ended 3 times while it was running"


def test_retry_by_a_person_forgets_tries_and_interruptions(bench: Bench) -> None:
    bench.note(ORDER)
    runner(bench, raises(Rejected("payload", "no run"))).run_try("fetch:1", 1)
    with unit_of_work(bench.store) as session:
        assert tasks.requeue(session, "fetch:1", at=bench.clock.now()) is not None
    (order,) = bench.due()
    runner(bench, succeeds).run_try("fetch:1", order.number)
    task = bench.task("fetch:1")
    assert (task.state, task.tries, task.total_tries) == (TaskState.DONE, 1, 2)


def test_failed_try_keeps_none_of_the_orders_its_transaction_wrote(bench: Bench) -> None:
    def asks_and_fails(deps: Deps, _payload: Mapping[str, Any]) -> None:
        with unit_of_work(deps.store) as session:
            outbox.ask(session, Order("read:1", "read_results", {}))
            raise Unavailable("log", "503")

    bench.note(ORDER)
    runner(bench, asks_and_fails).run_try("fetch:1", 1)
    bench.clock.advance(3600)
    assert [order.key for order in bench.due()] == ["fetch:1"]


@pytest.mark.parametrize("handler", [succeeds, raises(Unavailable("runs", "502"))])
def test_relay_is_told_after_each_try(bench: Bench, handler: Handler) -> None:
    told = threading.Event()
    bench.note(ORDER)
    runner(bench, handler, after_try=told.set).run_try("fetch:1", 1)
    assert told.is_set()


def test_end_of_a_try_is_recorded_once_the_database_can_be_used_again(bench: Bench) -> None:
    def breaks_the_table(deps: Deps, _payload: Mapping[str, Any]) -> None:
        with unit_of_work(deps.store) as session:
            session.execute(text("ALTER TABLE tasks RENAME TO gone"))

    bench.note(ORDER)
    tries = threading.Thread(target=runner(bench, breaks_the_table).run_try, args=("fetch:1", 1))
    tries.start()
    tries.join(timeout=0.5)
    assert tries.is_alive()
    with unit_of_work(bench.store) as session:
        session.execute(text("ALTER TABLE gone RENAME TO tasks"))
    tries.join(timeout=30)
    assert bench.task("fetch:1").state is TaskState.DONE


@contextmanager
def losing_answer(bench: Bench, *, of_commit: int) -> Iterator[None]:
    """The COMMIT goes through, and the connection is gone before its answer has arrived."""
    commits = itertools.count(1)

    def after_commit(session: Session) -> None:
        if session.get_bind() is bench.store and next(commits) == of_commit:
            raise OperationalError("COMMIT", {}, Exception("server closed the connection unexpectedly"))

    event.listen(Session, "after_commit", after_commit)
    try:
        yield
    finally:
        event.remove(Session, "after_commit", after_commit)


@pytest.mark.parametrize("of_commit", [1, 2], ids=["begin", "end"])
@pytest.mark.parametrize("handler", [succeeds, raises(Unavailable("runs", "502"))], ids=["done", "waiting"])
def test_commit_whose_answer_was_lost_is_no_try_of_somebody_else(
    bench: Bench, handler: Handler, of_commit: int
) -> None:
    bench.note(ORDER)
    with losing_answer(bench, of_commit=of_commit), capture_logs() as said:
        runner(bench, handler).run_try("fetch:1", 1)
    task = bench.task("fetch:1")
    assert (task.tries, task.total_tries, task.interrupted) == (1, 1, 0)
    assert "another try has begun since; the end of this one is not recorded" not in [
        line["event"] for line in said
    ]
    assert any(line["event"] == "cannot record a task" for line in said)


def test_times_of_a_task_are_those_of_the_clock(bench: Bench) -> None:
    bench.note(ORDER)
    began = bench.clock.now()
    bench.clock.advance(10)
    runner(bench, succeeds).run_try("fetch:1", 1)
    task = bench.task("fetch:1")
    assert (task.created_at, task.updated_at) == (began, began + timedelta(seconds=10))
