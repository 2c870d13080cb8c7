"""The worker put together, in this process: from a delivery's row to a finished chain of tasks."""

import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from bench import Bench
from written_delivery import write_delivery

from app.clock import SystemClock
from app.domain.errors import Conflict, Unavailable
from app.store import outbox, tasks
from app.store.outbox import Order
from app.store.session import unit_of_work
from app.store.tasks import TaskState
from worker.deps import Deps, Stage
from worker.main import queue_of, rank_of, run
from worker.queue.lock import exclusive
from worker.scratch import PREFIX
from worker.stages import PIPELINE


def deliver(bench: Bench, guid: str) -> None:
    write_delivery(bench.deps.inbox, guid, at=SystemClock().now())


def test_delivery_runs_through_its_stages_and_what_fails_for_now_is_tried_again(bench: Bench) -> None:
    stop, failures = threading.Event(), [Unavailable("comment", "502"), Unavailable("comment", "503")]

    def record_run(deps: Deps, payload: Mapping[str, Any]) -> None:
        with unit_of_work(deps.store) as session:
            order = Order(f"comment:{payload['delivery']}", "publish_comment", {}, partition="octo/widgets#7")
            outbox.ask(session, order)

    def publish_comment(_deps: Deps, _payload: Mapping[str, Any]) -> None:
        if failures:
            raise failures.pop()
        stop.set()

    pipeline = {
        "record_run": Stage("record_run", "fetch", record_run),
        "publish_comment": Stage("publish_comment", "report", publish_comment),
    }
    deliver(bench, "g1")
    assert run(bench.settings, pipeline, stop=stop)
    assert bench.task("delivery:g1").state is TaskState.DONE
    comment = bench.task("comment:g1")
    assert (comment.state, comment.tries, comment.number) == (TaskState.DONE, 3, 3)


def test_worker_has_a_temporary_folder_and_removes_those_of_dead_ones(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = tmp_path / f"{PREFIX}dead"
    dead.mkdir()
    stop, seen = threading.Event(), []

    def look(deps: Deps, _payload: Mapping[str, Any]) -> None:
        seen.extend([deps.scratch, *tmp_path.glob(f"{PREFIX}*")])
        stop.set()

    with unit_of_work(bench.store) as session:
        outbox.ask(session, Order("look", "look", {}))
    assert run(bench.settings, {"look": Stage("look", "fetch", look)}, stop=stop)
    assert len(set(seen)) == 1
    assert dead not in seen
    assert list(tmp_path.glob(f"{PREFIX}*")) == []


def test_order_for_an_unknown_stage_ends_as_a_dead_letter(bench: Bench) -> None:
    stop = threading.Event()
    with unit_of_work(bench.store) as session:
        outbox.ask(session, Order("replay:1", "replay_suspects", {}), Order("z:last", "last", {}))
    pipeline = {"last": Stage("last", "judge", lambda _deps, _payload: stop.set())}
    assert run(bench.settings, pipeline, stop=stop)
    with unit_of_work(bench.store) as session:
        assert tasks.counts(session) == {TaskState.DEAD: 1, TaskState.DONE: 1}
    assert queue_of(pipeline, "last") == "judge"


def test_later_stages_come_first_in_a_queue_and_an_unknown_one_last() -> None:
    ranks = [rank_of(PIPELINE, name) for name in (*reversed(PIPELINE), "replay_suspects")]
    assert ranks == list(range(1, len(PIPELINE) + 2))
    assert rank_of(PIPELINE, "group_failures") < rank_of(PIPELINE, "record_run")


def test_second_worker_is_refused_before_it_touches_anything(bench: Bench) -> None:
    with (
        exclusive(bench.settings.data_dir / "worker.queue.lock", subject="worker"),
        pytest.raises(Conflict, match="worker: process"),
    ):
        run(bench.settings, {})
    assert not list(bench.settings.data_dir.glob("engine.db"))
