"""Runs that are read after later failures were judged: those verdicts follow, in both directions."""

from dataclasses import replace

from pipeline import Pipeline
from scene import BASE, ELSEWHERE, FAILING, ON_MAIN, PASSING, PULL, REPO, Case, Ran, Scene, failing

from app.domain.gap import GapKind
from app.domain.ids import RepoName
from app.domain.policy import VerdictPolicy
from app.domain.verdict import Kind, Whose
from worker.watching import look

RED = Ran("linux", (PASSING, FAILING))
GREEN = Ran("linux", (PASSING, Case(FAILING.name)))
OTHERWISE = Ran("linux", (PASSING, failing(FAILING.name, line=99)))


def set_up(pipeline: Pipeline, scene: Scene, *, clean: int = 3) -> None:
    """Pull request 8 beside 7, and few runs that prove a base."""
    pipeline.deps = replace(pipeline.deps, policy=VerdictPolicy(clean_base_runs=clean))
    at = pipeline.clock.now()
    scene.state.add_pull(REPO, 8, "topic8", ELSEWHERE, "main", "Other", "bob", at=at)


def both_fail(pipeline: Pipeline, scene: Scene) -> None:
    other = scene.run(200, RED, head=ELSEWHERE, branch="topic8", pulls=(8,))
    pipeline.deliver(other).drain()
    pipeline.deliver(scene.run(300, RED, event="pull_request")).drain()


def test_passes_of_the_base_read_late_take_an_excuse_back(pipeline: Pipeline, scene: Scene) -> None:
    set_up(pipeline, scene)
    base = [scene.run(run, GREEN, head=BASE, branch="main") for run in (10, 11, 12)]
    both_fail(pipeline, scene)
    assert pipeline.verdict(300, FAILING.label).whose is Whose.NOT_YOURS
    pipeline.deliver(*base).drain()
    assert pipeline.verdict(300, FAILING.label).whose is Whose.UNKNOWN
    assert "may be yours" in pipeline.comments(REPO, PULL)[0].body


def test_a_failure_of_the_base_read_late_gives_an_excuse_back(pipeline: Pipeline, scene: Scene) -> None:
    set_up(pipeline, scene)
    late = scene.run(9, OTHERWISE, head=BASE, branch="main")
    pipeline.deliver(*(scene.run(run, GREEN, head=BASE, branch="main") for run in (10, 11, 12))).drain()
    both_fail(pipeline, scene)
    assert pipeline.verdict(300, FAILING.label).whose is Whose.UNKNOWN
    pipeline.deliver(late).drain()
    assert pipeline.verdict(300, FAILING.label).whose is Whose.NOT_YOURS


def test_a_pass_of_main_read_late_ends_its_streak_on_both_sides(pipeline: Pipeline, scene: Scene) -> None:
    before, passed, after = (
        scene.run(run, ran, head=head, branch="main")
        for run, ran, head in ((40, RED, BASE), (41, GREEN, ON_MAIN), (42, RED, ELSEWHERE))
    )
    pipeline.deps = replace(pipeline.deps, policy=VerdictPolicy(broken_main_streak=2))
    pipeline.deliver(before, after).drain()
    assert pipeline.verdict(40, FAILING.label).kind is Kind.BROKEN_MAIN
    pipeline.deliver(passed).drain()
    for run in (40, 42):
        assert pipeline.verdict(run, FAILING.label).kind is not Kind.BROKEN_MAIN


def test_runs_of_the_base_left_unread_by_the_first_look_are_a_gap(pipeline: Pipeline, scene: Scene) -> None:
    set_up(pipeline, scene)
    for run in (10, 11, 12):
        scene.run(run, GREEN, head=BASE, branch="main")
    scene.run(200, RED, head=ELSEWHERE, branch="topic8", pulls=(8,), event="pull_request")
    scene.run(300, RED, event="pull_request")
    settings = pipeline.deps.settings.model_copy(update={"first_look_runs": 2})
    pipeline.deps = replace(pipeline.deps, settings=settings)
    look.look_if_due(pipeline.deps, RepoName(REPO))
    pipeline.drain()
    verdict = pipeline.verdict(300, FAILING.label)
    assert verdict.whose is Whose.UNKNOWN
    assert [gap.kind for gap in verdict.gaps] == [GapKind.RUNS_UNREAD]
