"""A trial as the plan counts it: which arm, bare or probed, and whether it failed as the original did."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from app.domain.replay_words import Arm


class Result(Enum):
    PASSED = auto()
    FAILED = auto()  # in the mode that the replay is about
    OTHER = auto()  # failed, but otherwise: a finding of its own, never a confirmation
    NOTHING = auto()  # skipped, not collected, not importable: never a pass
    VOID = auto()


@dataclass(frozen=True, slots=True)
class Row:
    arm: Arm
    bare: bool
    result: Result
    seconds: float = 0.0

    @property
    def counts(self) -> bool:
        return self.result in {Result.PASSED, Result.FAILED, Result.OTHER}


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of some rows. `others` failed otherwise, and are part of `trials`."""

    failures: int = 0
    others: int = 0
    passes: int = 0

    @property
    def trials(self) -> int:
        return self.failures + self.others + self.passes


def tally(rows: Iterable[Row]) -> Tally:
    results = [row.result for row in rows]
    return Tally(results.count(Result.FAILED), results.count(Result.OTHER), results.count(Result.PASSED))


def of_arm(rows: Iterable[Row], arm: Arm) -> list[Row]:
    return [row for row in rows if row.arm is arm]


def bare_only(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.bare]


def probed_only(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if not row.bare]


def arms_that_failed(rows: Sequence[Row]) -> list[Arm]:
    """Arms with a failure of the mode, the one that failed first coming first."""
    return list(dict.fromkeys(row.arm for row in rows if row.result is Result.FAILED))
