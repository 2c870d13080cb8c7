"""Many failures are judged in parts: a death between two of them loses no verdict and no report."""

from collections.abc import Sequence

from pipeline import Pipeline
from scene import PULL, REPO, Ran, Scene, failing
from sqlalchemy import text

from app.store.outbox import Order
from app.store.session import unit_of_work

MANY = tuple(failing(f"test_{number:03}", expected=number) for number in range(230))
DIES = (
    "CREATE TRIGGER dies BEFORE UPDATE OF judged_at ON attempts BEGIN SELECT RAISE(ABORT, 'died here'); END"
)


def _run(pipeline: Pipeline, statement: str) -> None:
    with unit_of_work(pipeline.deps.store) as session:
        session.execute(text(statement))


def test_death_before_the_last_part_is_made_good_by_the_next_try(pipeline: Pipeline, scene: Scene) -> None:
    _run(pipeline, DIES)
    told_before: list[int] = []

    def live_after_the_first_death(_orders: Sequence[Order]) -> int:
        if pipeline.tries.count("judge_failures") == 1 and not told_before:
            told_before.append(len(pipeline.lines(1)))
            _run(pipeline, "DROP TRIGGER dies")
        return 0

    pipeline.deliver(scene.run(1, Ran("test (a)", MANY))).drain(choose=live_after_the_first_death)
    assert told_before == [200], "the first part is written, and the last one with its mark is not"
    assert pipeline.tries.count("judge_failures") == 2
    assert len(pipeline.lines(1)) == len(MANY)
    (comment,) = pipeline.comments(REPO, PULL)
    assert comment.body.startswith(f"**{len(MANY)} failures")
