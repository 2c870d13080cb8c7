"""What a benchmark found: a figure of ours beside its floor, and the goal it is held against."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Side = Literal["at most", "at least"]


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound on the figure itself, or (`of_floor`) on how often the floor goes into it."""

    side: Side
    bound: float
    of_floor: bool = False

    def is_reached(self, value: float) -> bool:
        return value <= self.bound if self.side == "at most" else value >= self.bound


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `lowest` and `highest` are of single rounds, `floor` of the same run.

    `note` says under which conditions it was measured, and what the floor is.
    """

    figure: str
    what: str
    ours: float
    unit: str
    lowest: float | None = None
    highest: float | None = None
    floor: float | None = None
    goal: Goal | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return None if not self.floor else self.ours / self.floor

    @property
    def is_reached(self) -> bool | None:
        """None where there is no goal."""
        if self.goal is None:
            return None
        value = self.ratio if self.goal.of_floor else self.ours
        return value is not None and self.goal.is_reached(value)


def at_most(bound: float) -> Goal:
    return Goal("at most", bound)


def at_least(bound: float, *, of_floor: bool = False) -> Goal:
    return Goal("at least", bound, of_floor)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all are not above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered) + 0.5) - 1))]


def row_of_rounds(
    figure: str,
    what: str,
    unit: str,
    ours: Sequence[float],
    floor: Sequence[float],
    goal: Goal | None,
    note: str,
) -> Row:
    """The median of rounds beside that of the floor's, with the least and the most of ours."""
    return Row(
        figure,
        what,
        statistics.median(ours),
        unit,
        min(ours),
        max(ours),
        statistics.median(floor) if floor else None,
        goal,
        note,
    )
