"""From a trial's facts to what is said of it: the causes in their order of precedence, findings beside
them.
"""

from collections.abc import Callable, Sequence
from typing import Final

from app.domain.replay_words import CauseKind
from worker.replay.explain.answers import Answer, explained
from worker.replay.explain.causes import (
    collective_mismatch,
    crash_signal,
    deadlock,
    early_exit,
    init_failure,
    late_rank,
    not_explained,
    oom_kill,
    port_in_use,
    rank_divergence,
    rank_exception,
    terminated_slow,
    test_assertion,
)
from worker.replay.explain.findings import findings
from worker.replay.explain.matching import entered_by_rank, matched_by_group
from worker.replay.explain.outcomes import has_failed
from worker.replay.explain.scene import Scene, look
from worker.replay.explain.timeline import timeline
from worker.replay.facts import TrialFacts
from worker.replay.trial import Explained, Explanation

PRECEDENCE: Final[tuple[Callable[[Scene], Answer | None], ...]] = (
    collective_mismatch.find,
    oom_kill.find,
    terminated_slow.find,
    deadlock.find,
    rank_divergence.find,
    port_in_use.find,
    init_failure.find_own,
    test_assertion.find_on_all_ranks,
    rank_exception.find,
    late_rank.find,
    early_exit.find,
    crash_signal.find,
    init_failure.find,
    test_assertion.find,
    not_explained.find,
)
"""The first that fits is the cause. The order is the contract's; a deadlock proves itself, and comes before
what only an absence shows, and the narrower kinds of an exception before the general one."""


def explain(facts: TrialFacts, passing: Sequence[TrialFacts] = ()) -> Explanation:
    """Say why the trial failed, where it did. Total on any facts; the order of their tuples does not matter.

    `passing` are passing trials of the same test: what they show too is background. A trial that passed has
    the cause `none`, its matched collectives, and no findings but what it left behind or hid.
    """
    scene = look(facts, passing)
    matched, entered = matched_by_group(scene.lines), entered_by_rank(scene.lines)
    if not has_failed(facts):
        nothing = Explained(CauseKind.NONE)
        return Explanation(nothing, findings(scene, failed=False), matched, entered=entered)
    found = next(answer for find in PRECEDENCE if (answer := find(scene)) is not None)
    return Explanation(
        explained(scene, found), findings(scene, failed=True), matched, timeline(scene), entered=entered
    )
