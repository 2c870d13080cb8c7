"""Good news must be proven: what was cancelled, skipped, not run again or not read turns nothing green."""

import pytest
from pipeline import Pipeline
from scene import BASE, BRANCH, FAILING, LINT, NEXT, ON_MAIN, PASSING, PULL, REPO, Case, Ran, Scene

from app.standin.faults import SERVER_ERROR

RED = Ran("test (a)", (PASSING, FAILING))
GREEN = Ran("test (a)", (PASSING, Case(FAILING.name)))
SKIPS = Ran("test (a)", (PASSING, Case(FAILING.name, skipped=True)))
WITHOUT = Ran("test (a)", (PASSING,))
CANCELLED = Ran("test (a)", conclusion="cancelled")
SKIPPED_JOB = Ran("test (a)", conclusion="skipped")
BROKEN_JOB = Ran("build", conclusion="failure", prints=("##[error]make: *** [all] Error 2",))

TIMED_OUT = Ran(
    "test (a)",
    conclusion="cancelled",
    prints=(
        "##[error]The job running on runner GitHub Actions 7 has exceeded the maximum execution time of 5 m.",
        "##[error]The operation was canceled.",
    ),
)


def told(pipeline: Pipeline) -> str:
    """The first line of the only comment."""
    (comment,) = pipeline.comments(REPO, PULL)
    return comment.body.partition("\n")[0]


def test_job_that_its_rerun_cancelled_stays_red_beside_another_green_workflow(
    pipeline: Pipeline, scene: Scene
) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    pipeline.deliver(scene.run(2, Ran("lint"), workflow=LINT)).drain()
    scene.run(1, CANCELLED, attempt=2, conclusion="cancelled")
    pipeline.deliver(1, attempt=2).drain()
    assert told(pipeline).startswith("**1 failure")


def test_job_that_its_rerun_skipped_stays_red_though_the_run_succeeds(
    pipeline: Pipeline, scene: Scene
) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    scene.run(1, SKIPPED_JOB, Ran("decide"), attempt=2, conclusion="success")
    pipeline.deliver(1, attempt=2).drain()
    assert told(pipeline).startswith("**1 failure")


@pytest.mark.parametrize("after", [SKIPS, WITHOUT], ids=["skipped", "left out"])
def test_test_that_did_not_run_again_is_not_green(pipeline: Pipeline, scene: Scene, after: Ran) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    scene.run(1, after, attempt=2)
    pipeline.deliver(1, attempt=2).drain()
    assert told(pipeline) == "**No failure now, but not proven green**: 1 that failed has not passed since"
    (comment,) = pipeline.comments(REPO, PULL)
    assert FAILING.name in comment.body
    scene.run(1, GREEN, attempt=3)
    pipeline.deliver(1, attempt=3).drain()
    assert told(pipeline).startswith("**Green again**")


def test_next_head_that_leaves_the_failed_test_out_is_not_green(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED, event="pull_request")).drain()
    scene.state.push_to_pull(REPO, PULL, NEXT)
    scene.state.set_branch(REPO, BRANCH, NEXT)
    pipeline.deliver(scene.run(2, SKIPS, head=NEXT, event="pull_request")).drain()
    assert told(pipeline).startswith("**No failure now, but not proven green**")
    pipeline.deliver(scene.run(3, GREEN, head=NEXT, event="pull_request")).drain()
    assert told(pipeline).startswith("**Green again**")


def test_job_without_tests_is_green_again_once_it_succeeds(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, BROKEN_JOB, GREEN)).drain()
    scene.run(1, GREEN, attempt=2)
    pipeline.deliver(1, attempt=2).drain()
    assert told(pipeline).startswith("**1 failure"), "a partial re-run leaves the other job as it was"
    scene.run(1, Ran("build"), attempt=3)
    pipeline.deliver(1, attempt=3).drain()
    assert told(pipeline).startswith("**Green again**")


def test_red_run_that_could_not_be_read_blocks_green(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    scene.state.faults.inject("*/runs/3/artifacts", SERVER_ERROR, times=50)
    pipeline.deliver(scene.run(3, RED, workflow=LINT)).drain()
    assert len(pipeline.dead()) == 1
    scene.run(1, GREEN, attempt=2)
    pipeline.deliver(1, attempt=2).drain()
    assert told(pipeline) == "**No failure now, but not proven green**: 1 run has not been read yet"
    (comment,) = pipeline.comments(REPO, PULL)
    assert "actions/runs/3" in comment.body


def on_main(scene: Scene, run: int, *jobs: Ran, head: str = ON_MAIN, event: str = "push") -> int:
    return scene.run(run, *jobs, branch="main", head=head, event=event, conclusion=None)


@pytest.mark.parametrize("after", [SKIPS, WITHOUT], ids=["skipped", "left out"])
def test_alert_stays_until_the_failed_test_passes(pipeline: Pipeline, scene: Scene, after: Ran) -> None:
    pipeline.deliver(on_main(scene, 1, RED, head=BASE)).drain()
    pipeline.deliver(on_main(scene, 2, after)).drain()
    (issue,) = pipeline.issues(REPO)
    assert issue.state == "open"
    assert "run 2 passed, but 1 that failed has not passed since" in issue.body
    pipeline.deliver(on_main(scene, 3, GREEN)).drain()
    assert [issue.state for issue in pipeline.issues(REPO)] == ["closed"]


def test_scheduled_run_that_skipped_its_only_job_closes_no_alert(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(on_main(scene, 1, RED)).drain()
    pipeline.deliver(on_main(scene, 2, SKIPPED_JOB, event="schedule")).drain()
    assert [issue.state for issue in pipeline.issues(REPO)] == ["open"]


def test_unread_run_of_main_closes_no_alert(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(on_main(scene, 1, RED, head=BASE)).drain()
    scene.state.faults.inject("*/runs/2/artifacts", SERVER_ERROR, times=50)
    lint = scene.run(2, Ran("lint", conclusion="failure"), branch="main", head=ON_MAIN, workflow=LINT)
    pipeline.deliver(lint).drain()
    pipeline.deliver(on_main(scene, 3, GREEN)).drain()
    assert [issue.state for issue in pipeline.issues(REPO)] == ["open"]


def test_job_that_ran_out_of_time_is_red_though_github_calls_it_cancelled(
    pipeline: Pipeline, scene: Scene
) -> None:
    pipeline.deliver(scene.run(1, TIMED_OUT, conclusion="cancelled")).drain()
    assert told(pipeline).startswith("**1 failure")
    (comment,) = pipeline.comments(REPO, PULL)
    assert "maximum execution time" in comment.body
    pipeline.deliver(1).drain()
    pipeline.publish_again(1)
    assert told(pipeline).startswith("**1 failure"), "hearing of the run again changes nothing"


def test_job_that_ran_out_of_time_on_main_opens_an_alert(pipeline: Pipeline, scene: Scene) -> None:
    run = scene.run(1, TIMED_OUT, branch="main", head=ON_MAIN, conclusion="cancelled")
    pipeline.deliver(run).drain()
    assert [issue.state for issue in pipeline.issues(REPO)] == ["open"]


def test_failed_job_of_a_cancelled_run_is_told(pipeline: Pipeline, scene: Scene) -> None:
    other = Ran("test (b)", conclusion="cancelled", prints=("##[error]The operation was canceled.",))
    pipeline.deliver(scene.run(1, RED, other, conclusion="cancelled")).drain()
    assert told(pipeline).startswith("**1 failure")


def test_run_cancelled_by_a_newer_push_stays_quiet(pipeline: Pipeline, scene: Scene) -> None:
    cut = Ran("test (a)", conclusion="cancelled", prints=("##[error]The operation was canceled.",))
    pipeline.deliver(scene.run(1, cut, conclusion="cancelled")).drain()
    assert pipeline.stand_in.writes == []


@pytest.mark.parametrize("conclusion", ["startup_failure", "failure"])
def test_workflow_that_could_not_start_is_told(pipeline: Pipeline, scene: Scene, conclusion: str) -> None:
    pipeline.deliver(scene.run(1, conclusion=conclusion)).drain()
    assert told(pipeline) == "**No verdict**: a workflow could not start, and no test of it ran"
    (comment,) = pipeline.comments(REPO, PULL)
    assert "The workflow `tests` could not start" in comment.body
    assert "actions/runs/1" in comment.body
