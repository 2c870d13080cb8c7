"""What a test says of a fault that we put into one of its ranks, and the grade that follows from it.

A grade is by the first rule of RULES that holds, from the worst to the best: first whether the test fails at
all, then what its own message names, then how long that takes. A test has the grade of its worst fault.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

PROMPT_S: Final = 10.0
"""Beyond the time in which the test passes: enough for a parent that watches its ranks, on a busy runner."""
PATIENCE_S: Final = 60.0
"""The same where a rank hangs, which only a time limit can tell from a slow one."""


class Grade(StrEnum):
    A = "A"
    B = "B"
    C = "C"
    D = "D"
    E = "E"
    F = "F"


class Shown(StrEnum):
    """Where the fault's cause can be read by who sees the test fail in CI."""

    FAILURE = "failure"  # in the failure itself, which results files and summaries hold
    OUTPUT = "output"  # only in what the test's processes printed
    NOWHERE = "nowhere"  # the test failed and hides why
    PASSED = "passed"  # the test passed although a rank had failed
    NO_END = "no-end"  # it did not end by itself within the trial's time limit
    CUT_SHORT = "cut-short"  # our limit ended it while limits of its own were running out, one after another
    NOT_REACHED = "not-reached"  # the fault was never carried out: there is no such rank or place
    NO_TRIAL = "no-trial"  # the test was not run

    @property
    def is_opaque(self) -> bool:
        return self in {Shown.OUTPUT, Shown.NOWHERE, Shown.PASSED, Shown.NO_END}

    @property
    def is_graded(self) -> bool:
        return self not in {Shown.CUT_SHORT, Shown.NOT_REACHED, Shown.NO_TRIAL}


@dataclass(frozen=True, slots=True)
class Fault:
    """As it was asked for; `at` is `init`, `collective=N` or `exit`, `text` that of a raised exception."""

    rank: int
    at: str
    how: str  # "raise", "exit", "hang" or "kill"
    spec: str
    text: str = ""

    @property
    def words(self) -> str:
        return f"{self.how} at {self.at.replace('=', ' ')}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one fault. Seconds are those of the whole trial, None where it did not run.

    `extra_s` is what they are beyond the control's; `waited` is the longest wait that ran out and does not
    where the test passes, in words; `left` one sentence for each thing that outlived the test by the fault.
    """

    fault: Fault
    shown: Shown
    names_rank: bool = False
    names_cause: bool = False
    message: str = ""  # of what the test itself says the line that names most
    reason: str = ""  # ours, where it says nothing: it was ended, pytest died, it was not run
    seconds: float | None = None
    extra_s: float = 0.0
    waited: str = ""
    left: tuple[str, ...] = ()
    trial: int | None = None

    @property
    def takes_whole_timeout(self) -> bool:
        return bool(self.waited) or self.shown is Shown.NO_END

    @property
    def grade(self) -> Grade | None:
        """None where nothing can be said."""
        return None if self.rule is None else self.rule.grade

    @property
    def rule(self) -> "Rule | None":
        if not self.shown.is_graded:
            return None
        return next(rule for rule in RULES if rule.holds(self))

    def as_json(self) -> dict[str, object]:
        return {
            "spec": self.fault.spec,
            "rank": self.fault.rank,
            "at": self.fault.at,
            "how": self.fault.how,
            "text": self.fault.text or None,
            "grade": self.grade,
            "why": self.rule.text if self.rule else None,
            "shown": self.shown.value,
            "opaque": self.shown.is_opaque,
            "names_rank": self.names_rank,
            "names_cause": self.names_cause,
            "message": self.message,
            "reason": self.reason or None,
            "seconds": None if self.seconds is None else round(self.seconds, 3),
            "extra_seconds": round(self.extra_s, 3),
            "whole_timeout": self.takes_whole_timeout,
            "waited": self.waited or None,
            "left_behind": list(self.left),
            "trial": self.trial,
        }


@dataclass(frozen=True, slots=True)
class Rule:
    """`reason` says why a test of this kind is worth no more."""

    grade: Grade
    text: str
    reason: str
    holds: Callable[[Answer], bool]


def _is_late(answer: Answer) -> bool:
    return answer.extra_s > (PATIENCE_S if answer.fault.how == "hang" else PROMPT_S)


RULES: Final = (
    Rule(
        Grade.F,
        "it passes in spite of the fault",
        "CI shows green while a rank fails",
        lambda answer: answer.shown is Shown.PASSED,
    ),
    Rule(
        Grade.F,
        "it does not end by itself",
        "CI shows a job that was cancelled and names no test",
        lambda answer: answer.shown is Shown.NO_END,
    ),
    Rule(
        Grade.E,
        "it fails, and nothing says which rank or why",
        "the failure cannot be diagnosed from CI at all",
        lambda answer: not (answer.names_rank or answer.names_cause) and answer.shown is Shown.NOWHERE,
    ),
    Rule(
        Grade.D,
        "its message names neither rank nor cause; only captured output does",
        "results files, summaries and issues hold the message, not the output",
        lambda answer: not (answer.names_rank or answer.names_cause),
    ),
    Rule(
        Grade.C,
        "its message names the rank or the cause, not both",
        "which rank, or why, is left to be guessed",
        lambda answer: not (answer.names_rank and answer.names_cause),
    ),
    Rule(
        Grade.B,
        f"its message names rank and cause, but {PROMPT_S:g} s late ({PATIENCE_S:g} s where a rank hangs)",
        "every red run waits for it, and a job's own limit may come first",
        _is_late,
    ),
    Rule(
        Grade.A,
        "its message names rank and cause, in time",
        "whoever reads the red test knows where to look",
        lambda _: True,
    ),
)


@dataclass(frozen=True, slots=True)
class Injected:
    """All faults of one test. `ungraded` says why there is no grade, and is empty where there is one.

    `passes_in_s` is the time of the control, a trial without a fault that passed; `ranks` is how many it had.
    """

    answers: tuple[Answer, ...]
    ranks: int = 0
    passes_in_s: float | None = None
    why_not: str = ""

    @property
    def grade(self) -> Grade | None:
        return None if self.worst is None else self.worst.grade

    @property
    def worst(self) -> Answer | None:
        """The first answer with the worst grade."""
        graded = [one for one in self.answers if one.grade is not None]
        return max(graded, key=lambda one: str(one.grade), default=None)

    @property
    def ungraded(self) -> str:
        if self.grade is not None:
            return ""
        return self.why_not or "no fault was reached: there is no such rank or place"

    def as_json(self) -> dict[str, object]:
        return {
            "grade": self.grade,
            "why": self.worst.rule.text if self.worst and self.worst.rule else self.ungraded,
            "distributed": self.ranks > 1,
            "ranks": self.ranks,
            "passes_in_seconds": None if self.passes_in_s is None else round(self.passes_in_s, 3),
            "faults": [one.as_json() for one in self.answers],
        }


def worst_of(answers: Sequence[Answer]) -> Answer:
    """Of several trials with one fault: what was said worst, graded before ungraded."""
    return max(answers, key=lambda one: str(one.grade or ""))
