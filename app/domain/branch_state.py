"""Is a branch red? Decided by the newest deciding attempt of each workflow, never by silence."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.ids import Sha
from app.domain.run import Conclusion


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"
    UNKNOWN = "unknown"  # nothing has decided it: that is not green


@dataclass(frozen=True, slots=True)
class TestedHead:
    """One attempt of a run that tested the branch's own commits; `key` is the caller's."""

    __test__ = False

    key: int
    workflow: str
    sha: Sha
    conclusion: Conclusion | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Streak:
    """The unbroken red of one workflow: `newest` and `first` of it, and the last green before, if seen."""

    workflow: str
    newest: TestedHead
    first: TestedHead
    last_green: TestedHead | None


@dataclass(frozen=True, slots=True)
class BranchState:
    """`streaks` are the red workflows, longest red first; empty unless the colour is red."""

    colour: Colour
    streaks: tuple[Streak, ...] = ()
    newest: TestedHead | None = None
    """The newest attempt that decided anything."""


def branch_state(heads: Sequence[TestedHead]) -> BranchState:
    """Judge a branch by what was seen of it, in any order.

    Cancelled, skipped and unfinished attempts decide nothing; a re-run that passes ends the red of its run,
    because it is the later attempt.
    """
    by_workflow: dict[str, list[TestedHead]] = {}
    for head in sorted(heads, key=lambda head: (head.at, head.key), reverse=True):
        if head.conclusion is not None and head.conclusion.decides:
            by_workflow.setdefault(head.workflow, []).append(head)
    streaks = [streak for found in by_workflow.values() if (streak := _streak(found)) is not None]
    newest = max(
        (found[0] for found in by_workflow.values()), key=lambda head: (head.at, head.key), default=None
    )
    if newest is None:
        return BranchState(Colour.UNKNOWN)
    if not streaks:
        return BranchState(Colour.GREEN, newest=newest)
    ordered = sorted(streaks, key=lambda streak: (streak.first.at, streak.workflow))
    return BranchState(Colour.RED, tuple(ordered), newest)


def _streak(newest_first: Sequence[TestedHead]) -> Streak | None:
    red = 0
    while red < len(newest_first) and newest_first[red].conclusion is not Conclusion.SUCCESS:
        red += 1
    if red == 0:
        return None
    green = newest_first[red] if red < len(newest_first) else None
    return Streak(newest_first[0].workflow, newest_first[0], newest_first[red - 1], green)
