"""What every reader of a test runner's terminal output gives: the failed tests, and the counts it printed."""

from dataclasses import astuple, dataclass
from typing import NamedTuple, Protocol

from app.domain.joblog.log_lines import LogLine
from app.domain.outcome import Result


@dataclass(frozen=True, slots=True)
class RunCounts:
    """The numbers of a runner's last lines, added up over the runs of a log; a word it does not use is 0."""

    failed: int = 0
    passed: int = 0
    errors: int = 0
    skipped: int = 0
    xfailed: int = 0
    xpassed: int = 0
    rerun: int = 0
    deselected: int = 0

    def __add__(self, other: "RunCounts") -> "RunCounts":
        return RunCounts(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


class ToldFailure(NamedTuple):
    """A test that a log says failed: under the identity that a results file would give it (`result.test`),
    by the id that the log prints, and at the number of the line that names it first as failed.
    """

    result: Result
    printed: str
    line: int


class RunReader(Protocol):
    """Takes all clean lines of a log in order, its own runner's and every other's. Never raises."""

    @property
    def in_run(self) -> bool:
        """Whether the lines now come from this runner's tests, so that they may print anybody's words."""

    @property
    def counts(self) -> RunCounts | None:
        """None until a summary was read."""

    @property
    def cut(self) -> bool:
        """Whether something was left out for its size, so that an absence proves nothing."""

    def feed(self, line: LogLine) -> None: ...

    def failures(self) -> tuple[ToldFailure, ...]:
        """One a test, in the log's order; call it once, after the last line."""
