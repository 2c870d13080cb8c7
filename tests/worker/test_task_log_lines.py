"""What each log line of a task names, so that one can be searched for by delivery, run or task."""

from collections.abc import Iterator

import pytest
import structlog
from bench import Bench
from structlog.testing import LogCapture

from app.domain.errors import Unavailable
from app.store.outbox import Order
from worker.deps import Deps, Payload, Stage
from worker.queue.retry import RetryPolicy
from worker.queue.runner import TaskRunner


@pytest.fixture
def said() -> Iterator[LogCapture]:
    capture, former = LogCapture(), structlog.get_config()
    structlog.configure(processors=[structlog.contextvars.merge_contextvars, capture])
    yield capture
    structlog.configure(**former)


def learns_a_run(_deps: Deps, payload: Payload) -> None:
    structlog.contextvars.bind_contextvars(run=77)
    structlog.get_logger("stage").info("at work")
    if payload["delivery"] == "d-2":
        raise Unavailable("github", "away")


def run(bench: Bench, key: str, payload: Payload) -> None:
    bench.note(Order(key, "record_run", payload))
    pipeline = {"record_run": Stage("record_run", "fetch", learns_a_run)}
    TaskRunner(bench.deps, pipeline, RetryPolicy(max_tries=2, base_s=1), after_try=lambda: None).run_try(
        key, 1
    )


def named(line: dict[str, object]) -> dict[str, object]:
    return {name: line[name] for name in ("task", "stage", "delivery", "run") if name in line}


@pytest.mark.parametrize(("guid", "end"), [("d-1", "task is done"), ("d-2", "task waits")])
def test_every_line_of_a_task_names_delivery_run_and_task(
    bench: Bench, said: LogCapture, guid: str, end: str
) -> None:
    run(bench, f"delivery:{guid}", {"schema": 1, "delivery": guid})
    ids = {"task": f"delivery:{guid}", "stage": "record_run", "delivery": guid, "run": 77}
    lines = [line for line in said.entries if line["event"] in {"at work", end}]
    assert [named(dict(line)) for line in lines] == [ids, ids]


def test_what_one_task_learnt_is_not_told_of_the_next(bench: Bench, said: LogCapture) -> None:
    run(bench, "delivery:d-1", {"schema": 1, "delivery": "d-1"})
    structlog.get_logger("after").info("between")
    assert named(dict(said.entries[-1])) == {}
