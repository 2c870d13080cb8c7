"""A trial looked over once: everything that the causes ask of it, in an order that the input's does not
change.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worker.replay.explain.background import habits
from worker.replay.explain.exceptions import Known, know_exceptions, outermost
from worker.replay.explain.incarnations import with_common_names
from worker.replay.explain.lives import Lives, know_lives
from worker.replay.explain.matching import Line, know_lines
from worker.replay.explain.ordered import in_one_order
from worker.replay.explain.printed import with_printed
from worker.replay.explain.ranks import Ranks, know_ranks
from worker.replay.explain.reported import with_reported
from worker.replay.explain.unsaid_failures import tell_failures
from worker.replay.explain.waits import Wait, know_waits
from worker.replay.explain.worlds import World, know_worlds
from worker.replay.facts import Phase, Stack, TrialFacts


@dataclass(frozen=True, slots=True)
class Scene:
    """One trial and what passing trials of the same test looked like."""

    facts: TrialFacts
    passing: tuple[TrialFacts, ...]
    ranks: Ranks
    lives: Lives
    worlds: tuple[World, ...]
    lines: tuple[Line, ...]
    exceptions: tuple[Known, ...]  # each object once, in order of time
    waits: tuple[Wait, ...]  # failed ones first
    stacks: Mapping[int, tuple[Stack, ...]]  # by pid, in order of time

    @property
    def workers(self) -> tuple[int, ...]:
        """Processes that had a rank, in order of rank and start."""
        return tuple(sorted(self.ranks.by_pid, key=lambda pid: (self.ranks.by_pid[pid], pid)))

    @property
    def test_failed_at(self) -> int | None:
        """When pytest called the test a failure; what came after is its teardown."""
        return min((one.t for one in self.facts.phases if one.outcome == "failed"), default=None)

    @property
    def knows_background(self) -> bool:
        """A passing trial was probed, so that an exception which it lacks is a difference."""
        return any(not one.bare for one in self.passing)

    @property
    def last_moment(self) -> int:
        stopped = self.facts.ended_early_at
        return self.facts.ended if stopped is None else stopped

    def own_exceptions(self, pid: int, until: int | None = None) -> tuple[Known, ...]:
        """Of that process by then: neither consequences nor background, each without those behind it."""
        mine = [one for one in self.exceptions if one.pid == pid and (until is None or one.raised.t <= until)]
        return tuple(one for one in outermost(mine) if one.is_own)

    def stack_near(self, pid: int, t: int) -> Stack | None:
        """The main thread's stack that was taken nearest to that moment."""
        taken = [one for one in self.stacks.get(pid, ()) if one.reason != "fatal" and one.frames]
        mains = [one for one in taken if one.is_current or "MainThread" in one.thread] or taken
        return min(mains, key=lambda one: (abs(one.t - t), one.t, one.thread), default=None)

    def failed_phase(self) -> Phase | None:
        failed = [one for one in self.facts.phases if one.outcome == "failed"]
        return min(failed, key=lambda one: (one.t, repr(one)), default=None)


def look(facts: TrialFacts, passing: Sequence[TrialFacts] = ()) -> Scene:
    """Put the trial's facts together; total on any facts."""
    facts = with_reported(with_printed(with_common_names(in_one_order(facts))))
    ranks = know_ranks(facts)
    lives = know_lives(facts)
    worlds = know_worlds(facts, ranks, lives)
    exceptions = know_exceptions(facts, habits(passing))
    facts = tell_failures(facts, exceptions)
    lines = know_lines(facts, worlds)
    stacks: dict[int, list[Stack]] = {}
    for stack in sorted(facts.stacks, key=lambda one: (one.t, one.pid, repr(one))):
        stacks.setdefault(stack.pid, []).append(stack)
    return Scene(
        facts,
        tuple(map(with_common_names, passing)),
        ranks,
        lives,
        worlds,
        lines,
        exceptions,
        know_waits(facts, worlds, lines, lives, exceptions),
        {pid: tuple(each) for pid, each in stacks.items()},
    )
