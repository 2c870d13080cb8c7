"""`test-assertion`: an assertion of the test itself on ranks that agree, nothing else wrong.

Borders. The assertion stands in the test's own process while no rank failed, or fails on all ranks in the
same words; figures in them may differ, as measured times do, and are equal by chance only.
An assertion about exit codes of ranks that did fail only tells of them and is `not-explained`, unless
another cause says why. Another exception of the test's own process, without any rank, is `rank-exception`
with rank null. In a bare trial an assertion that names no cause, or any beside ranks, is `not-explained`: it
may tell of what nobody saw in a rank or a thread (`reported.py`).
"""

from app.domain.replay_words import CauseKind
from worker.replay.explain.answers import Answer
from worker.replay.explain.causes.rank_exception import earliest, same_on_all_ranks
from worker.replay.explain.exceptions import Known
from worker.replay.explain.scene import Scene
from worker.replay.explain.sentences import clean, listed, without_figures
from worker.replay.facts import Phase, Seen

_ASSERTIONS = ("AssertionError", "Failed", "assert ")


def find_on_all_ranks(scene: Scene) -> Answer | None:
    """The same assertion on every rank of the world, each collective matched."""
    raised = earliest(scene)
    if raised is None or not raised.is_assertion or any(one.awaited for one in scene.waits):
        return None
    alike = same_on_all_ranks(scene, raised)
    if not alike or len({without_figures(one.raised.message) for one in alike}) > 1:
        return None
    who = listed(scene.ranks.name(one.pid) for one in alike)
    figures = len({one.raised.message for one in alike}) > 1
    return Answer(
        CauseKind.TEST_ASSERTION,
        (
            f"an assertion failed on {who} alike: {raised.words()}",
            "each had figures of its own" if figures else "",
            "every collective that they entered matched",
        ),
        also=tuple(one.pid for one in alike),
        known=raised,
        facts={"all_ranks": True},
    )


def find(scene: Scene) -> Answer | None:
    """The test's own process, where no rank failed and none waited in vain."""
    if _somebody_failed(scene):
        return None
    raised = _of_test(scene)
    phase = scene.failed_phase()
    if raised is not None and raised.lost is None:
        is_assertion = raised.is_assertion
        kind = CauseKind.TEST_ASSERTION if is_assertion else CauseKind.RANK_EXCEPTION
        what = "the test's own assertion failed" if is_assertion else "the test's own process raised"
        return Answer(kind, (f"{what}: {raised.words()}", _agreed(scene)), known=raised, pid=None)
    if raised is None and not scene.facts.bare and phase is not None and phase.crash.startswith(_ASSERTIONS):
        return _by_phase(scene, phase)
    return None


def _by_phase(scene: Scene, phase: Phase) -> Answer:
    """What pytest said is all there is, as in a process that the probe did not reach."""
    at = f" at {clean(phase.file)}:{phase.line}" if phase.file else ""
    return Answer(
        CauseKind.TEST_ASSERTION,
        (f"the test's own assertion failed: {clean(phase.crash)}{at}", _agreed(scene)),
        pid=None,
    )


def _of_test(scene: Scene) -> Known | None:
    """What pytest said of the test; else what left its process, the earliest."""
    own = [
        one
        for one in scene.exceptions
        if one.pid == scene.facts.main and one.got_out and not one.is_background
    ]
    by_pytest = [one for one in own if one.raised.seen is Seen.TEST]
    return min(by_pytest or own, key=lambda one: (one.raised.t, one.raised.identity), default=None)


def _somebody_failed(scene: Scene) -> bool:
    failed_at = scene.test_failed_at
    others = [one for one in scene.lives.exits.values() if one.pid != scene.facts.main]
    broken = any(one.code != 0 and (failed_at is None or one.t <= failed_at) for one in others)
    lost = any(one.lost and not one.is_background for one in scene.exceptions if one.pid != scene.facts.main)
    return broken or lost or bool(scene.waits) or scene.facts.timed_out


def _agreed(scene: Scene) -> str:
    if not scene.workers:
        return ""
    return "none of its ranks failed" if scene.facts.bare else "its ranks agreed, and none of them failed"
