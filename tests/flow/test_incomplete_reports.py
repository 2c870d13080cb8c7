"""What a report leaves out is told where people look: by the verdict, in the comment, on the run's page."""

from pipeline import Pipeline
from scene import FAILING, PASSING, PULL, REPO, Made, Ran, Scene, junit

from app.domain.gap import Gap, GapKind

SHORT = junit(FAILING, PASSING).replace(b'name="pytest" tests="2"', b'name="unit" tests="9"')


def test_tests_that_a_file_claims_and_does_not_list_are_told_with_the_verdict(
    pipeline: Pipeline, scene: Scene
) -> None:
    made = (Made("junit-test (a)", {"junit.xml": SHORT}),)
    scene.run(1, Ran("test (a)", made=made, conclusion="failure"))
    pipeline.deliver(1).drain()
    lacking = "the file claims 9 tests and lists 2"
    gap = Gap(GapKind.RESULTS_INCOMPLETE, "junit-test (a)/junit.xml", lacking)
    assert gap in pipeline.verdict(1, FAILING.label).gaps
    (comment,) = pipeline.comments(REPO, PULL)
    assert f"(results incomplete): {lacking}" in comment.body
    assert lacking in pipeline.page(f"/runs/{pipeline.attempt(1).id}")


def test_a_leg_without_the_file_that_its_siblings_have_is_told(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1, Ran("test (a)", (FAILING,)), Ran("test (b)", (PASSING,)), Ran("test (c)"), Ran("lint"))
    pipeline.deliver(1).drain()
    siblings = "test (a) and test (b), of the same workflow job, had one"
    detail = f"no results file of this job could be read; {siblings}"
    assert pipeline.gaps(1) == [Gap(GapKind.NO_RESULTS_FILE, "test (c)", detail)]
    (comment,) = pipeline.comments(REPO, PULL)
    assert siblings in comment.body
