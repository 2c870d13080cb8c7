"""A changed setting changes what the pipeline does: those of its settings that no other test varies."""

import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from pipeline import Pipeline
from pydantic import SecretStr
from scene import FAILING, PASSING, PULL, REPO, Ran, Scene, failing

from app.domain.errors import Unavailable
from app.domain.ids import RepoName
from app.standin.faults import answer, slow_answer
from app.store.outbox import Order, ask
from app.store.session import unit_of_work
from app.store.tasks import TaskState
from worker.main import _deps
from worker.watching.reconciler import Reconciler

RED, GREEN = Ran("linux", (PASSING, FAILING)), Ran("linux", (PASSING,))


def choose(pipeline: Pipeline, **settings: object) -> None:
    changed = pipeline.deps.settings.model_copy(update=settings)
    pipeline.deps = replace(pipeline.deps, settings=changed)


@pytest.mark.parametrize("reads", [True, False])
def test_logs_of_passed_jobs_are_fetched_only_if_wanted(
    pipeline: Pipeline, scene: Scene, *, reads: bool
) -> None:
    choose(pipeline, read_passed_logs=reads)
    pipeline.deliver(scene.run(11, GREEN)).drain()
    assert any(one.endswith("/logs") for one in pipeline.stand_in.requests) == reads


@pytest.mark.parametrize("limit_bytes", [2_000, 60_000])
def test_a_comment_is_no_longer_than_wanted(pipeline: Pipeline, scene: Scene, limit_bytes: int) -> None:
    choose(pipeline, comment_bytes=limit_bytes)
    many = tuple(failing(f"test_number_{number}", expected=number) for number in range(40))
    pipeline.deliver(scene.run(11, Ran("linux", many), event="pull_request")).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    size = len(comment.body.encode())
    assert size <= limit_bytes
    assert (size > 2_000) == (limit_bytes > 2_000)


@pytest.mark.parametrize("wait_s", [0, 300])
def test_a_run_without_artifacts_is_asked_again_as_long_as_wanted(
    pipeline: Pipeline, scene: Scene, wait_s: float
) -> None:
    choose(pipeline, artifact_wait_s=wait_s)
    run = scene.run(11, Ran("linux", (PASSING,), made=()))
    before = pipeline.clock.at
    pipeline.deliver(run).drain()
    assert ((pipeline.clock.at - before).total_seconds() > 100) == (wait_s > 100)


def _away(pipeline: Pipeline, scene: Scene, **settings: object) -> datetime:
    """GitHub does not answer for one task, which is tried as the settings say; when that is at its end."""
    choose(pipeline, **settings)
    scene.state.faults.inject("*/actions/runs/*", *[answer(502, "Bad Gateway")] * 400)
    pipeline.deliver(scene.run(11, GREEN)).drain()
    return pipeline.clock.at


@pytest.mark.parametrize("tries", [1, 3])
def test_a_task_is_tried_as_often_as_wanted(pipeline: Pipeline, scene: Scene, tries: int) -> None:
    _away(pipeline, scene, max_tries=tries)
    assert pipeline.tries == ["record_run"] * tries
    assert len(pipeline.dead()) == 1


@pytest.mark.parametrize("base_s", [1, 100])
def test_the_waits_between_tries_are_as_long_as_wanted(
    pipeline: Pipeline, scene: Scene, base_s: float
) -> None:
    before = pipeline.clock.at
    after = _away(pipeline, scene, max_tries=2, retry_base_s=base_s)
    waited_s = (after - before).total_seconds() - 90  # the run itself
    assert base_s <= waited_s <= 1.3 * base_s


@pytest.mark.parametrize(("days", "stays"), [(14, False), (30, True)])
def test_ended_tasks_are_kept_as_long_as_wanted(
    pipeline: Pipeline, scene: Scene, days: int, *, stays: bool
) -> None:
    choose(pipeline, keep_tasks_days=days)
    pipeline.deliver(scene.run(11, GREEN)).drain()
    pipeline.clock.advance(seconds=20 * 24 * 3600)
    with unit_of_work(pipeline.deps.store) as session:
        ask(session, Order("remove:x:1", "remove_old", {"schema": 1, "day": "x", "part": 1}, "retention"))
    pipeline.drain()
    assert pipeline.task("remove:x:1").state is TaskState.DONE
    with unit_of_work(pipeline.deps.store) as session:
        is_new = ask(session, Order("fetch:1", "fetch_artifacts", {"schema": 1, "attempt": 1}))
    assert (is_new == 0) == stays


@pytest.mark.parametrize("every_s", [0, 0.01])
def test_lists_of_runs_are_looked_at_only_if_wanted(pipeline: Pipeline, scene: Scene, every_s: float) -> None:
    scene.run(11, GREEN)
    choose(pipeline, reconcile_s=every_s, repositories=REPO)
    stop = threading.Event()
    Reconciler(pipeline.deps, after_look=stop.set).run(stop)
    assert any(one.endswith("/actions/runs") for one in pipeline.stand_in.requests) == (every_s > 0)


@pytest.mark.parametrize("address", ["https://github.com", "https://ghe.example"])
def test_links_lead_to_the_pages_that_are_named(pipeline: Pipeline, scene: Scene, address: str) -> None:
    choose(pipeline, github_url=address)
    pipeline.deliver(scene.run(11, RED, event="pull_request")).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert f"{address}/{REPO}/commit/" in comment.body


@pytest.mark.parametrize("timeout_s", [0.2, 20])
def test_a_late_answer_is_waited_for_as_long_as_wanted(
    pipeline: Pipeline, scene: Scene, tmp_path: Path, timeout_s: float
) -> None:
    assert scene.state.token
    settings = pipeline.deps.settings.model_copy(
        update={
            "github_timeout_s": timeout_s,
            "github_api_url": pipeline.stand_in.api_url,
            "github_token": SecretStr(scene.state.token),
        }
    )
    scene.state.faults.inject(f"/repos/{REPO}", *[slow_answer(0.6)] * 3)
    with _deps(settings, pipeline.clock, tmp_path, lambda: None) as deps:
        if timeout_s > 1:
            assert deps.github.repository(RepoName(REPO)).id == 42
        else:
            with pytest.raises(Unavailable):
                deps.github.repository(RepoName(REPO))
