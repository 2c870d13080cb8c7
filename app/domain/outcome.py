"""What one test did in one job of one attempt.

What is made for every test of a run is a named tuple: made, hashed and compared in a third of the time of a
dataclass.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from app.domain.parameter_id import base_of


class OutcomeKind(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    SKIPPED = "skipped"

    @property
    def is_red(self) -> bool:
        return self is OutcomeKind.FAILED or self is OutcomeKind.ERRORED


class TestId(NamedTuple):
    """Identity of a test within a repository, each part as the results file has it.

    `suite` is the path of enclosing suites and is part of the identity only where `classname` is empty;
    names alone never identify a test.
    """

    file: str
    suite: str
    classname: str
    name: str

    @property
    def label(self) -> str:
        """`classname::name`, or `file::name` (then `suite::name`) where there is no class."""
        scope = self.classname or self.file or self.suite
        return f"{scope}::{self.name}" if scope else self.name

    @property
    def base_name(self) -> str:
        """The name without its parameters: `test_a[cpu-2]` gives `test_a`."""
        return base_of(self.name)

    @property
    def base_label(self) -> str:
        scope = self.classname or self.file or self.suite
        return f"{scope}::{self.base_name}" if scope else self.base_name


TestId.__test__ = False  # type: ignore[attr-defined]  # pytest: no test class; a named tuple has fields only


@dataclass(frozen=True, slots=True)
class Passed:
    kind = OutcomeKind.PASSED


@dataclass(frozen=True, slots=True)
class Skipped:
    kind = OutcomeKind.SKIPPED
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A failure of the test itself. `text` is raw, at most TEXT_LIMIT characters, `cut` if more was there."""

    kind = OutcomeKind.FAILED
    message: str
    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Errored:
    """Failed outside the test's own call: setup, teardown, collection, or a crashed worker."""

    kind = OutcomeKind.ERRORED
    message: str
    text: str
    cut: bool = False


Outcome = Passed | Skipped | Failed | Errored


class Result(NamedTuple):
    """One test's outcome; `duration_s` is None where the file's value is missing or makes no sense."""

    test: TestId
    outcome: Outcome
    duration_s: float | None = None
    path: str | None = None
    line: int | None = None
    earlier: tuple[Outcome, ...] = ()
    """Attempts inside the same job that a results file proves to be reruns, oldest first."""
