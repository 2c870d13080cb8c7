"""Attempts that follow each other at once mix no evidence; clocks that differ make nobody wait for ever."""

from datetime import timedelta

from pipeline import Pipeline
from scene import FAILING, PASSING, Case, Made, Ran, Scene, junit

from app.domain.gap import GapKind

NAME = "junit-test (a)"


def test_first_attempt_read_late_does_not_take_the_second_s_files(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1, Ran("test (a)", (FAILING, PASSING)))
    scene.clock.advance(seconds=-20)  # the re-run starts five seconds after the end
    scene.run(1, Ran("test (a)", (Case(FAILING.name), PASSING)), attempt=2)
    pipeline.deliver(1, attempt=1).drain()
    assert pipeline.lines(1).keys() == {FAILING.label}


def test_job_that_uploads_nothing_when_it_is_run_again_does_not_take_its_earlier_files(
    pipeline: Pipeline, scene: Scene
) -> None:
    scene.run(1, Ran("test (a)", (FAILING, PASSING)), Ran("test (b)", (PASSING,)))
    pipeline.deliver(1, attempt=1).drain()
    scene.run(1, Ran("test (a)"), attempt=2)
    pipeline.deliver(1, attempt=2).drain()
    (gap,) = pipeline.gaps(1, 2)
    assert (gap.kind, gap.subject) == (GapKind.ARTIFACT_OF_OTHER_ATTEMPT, NAME)
    assert "made by an earlier attempt of test (a)" in gap.detail
    assert pipeline.counted(FAILING.label) == (1, 1)
    assert gap.detail in pipeline.page(f"/runs/{pipeline.attempt(1, 2).id}")


def test_artifact_made_after_the_attempt_is_a_gap_that_names_it(pipeline: Pipeline, scene: Scene) -> None:
    late = Made("late-results", {"junit.xml": junit(FAILING)}, after=timedelta(minutes=10))
    own = Made(NAME, {"junit.xml": junit(FAILING)})
    scene.run(1, Ran("test (a)", made=(own, late), conclusion="failure"))
    pipeline.deliver(1).drain()
    (gap,) = [gap for gap in pipeline.gaps(1) if gap.kind is GapKind.RESULTS_UNATTRIBUTED]
    assert gap.detail.endswith("late-results")


def test_clock_behind_github_s_waits_for_artifacts_no_longer_than_told(
    pipeline: Pipeline, scene: Scene
) -> None:
    scene.run(1, Ran("test (a)", conclusion="failure"))
    scene.clock.advance(seconds=-4 * 3600)
    before = scene.clock.now()
    pipeline.deliver(1).drain()
    assert GapKind.NO_RESULTS_FILE in {gap.kind for gap in pipeline.gaps(1)}
    assert scene.clock.now() - before < timedelta(minutes=30)
