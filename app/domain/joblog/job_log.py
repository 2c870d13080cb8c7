"""A job's log read once: what was checked out, how its steps ended, and which tests it names as failed."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Final

from app.domain.checkout import Checkout, CheckoutFinder
from app.domain.joblog.log_lines import LIMIT_BYTES, LogLine, LogText
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.runs_of_log import RunsOfLog
from app.domain.outcome import Result

__all__ = ["JobLog", "RunCounts", "read_job_log"]

MAX_ERRORS: Final = 50
MAX_EXIT_CODES: Final = 1000
_ERROR: Final = "##[error]"
_EXIT: Final = re.compile(r"##\[error\]Process completed with exit code (-?\d{1,10})\.$")

_RUNNER_CAUSES: Final = (
    re.compile(r"##\[error\]The runner has received a shutdown signal"),
    re.compile(r"##\[error\].{0,300}lost communication with the server"),
    re.compile(r"(?:##\[error\]|System\.IO\.IOException: ).{0,300}No space left on device"),
    re.compile(r"##\[error\]The action '.{0,300}' has timed out after \d{1,6} minutes"),
    re.compile(r"##\[error\]The job running on runner .{0,300} has exceeded the maximum execution time"),
    re.compile(r".{0,300}No space left on device"),
    re.compile(r"##\[error\]The operation was canceled\."),
    re.compile(r"##\[error\]Process completed with exit code (?:137|143)\."),
)
"""What the runner or the system says when it ended the job, the more telling first: a cancelled operation
and a kill are often only the consequence of one of the others. 137 and 143 are SIGKILL and SIGTERM."""
_TIME_OUT: Final = re.compile(
    r"##\[error\]The job running on runner .{0,300} has exceeded the maximum execution"
)
_MARK: Final = len(_ERROR)


@dataclass(frozen=True, slots=True)
class JobLog:
    """`errors` holds at most 50 lines marked as errors; `infra` quotes the line that names a runner's cause.

    `told` are the failed tests with the ids that the log prints; `printed` counts failures that were left out
    because a test printed them. `cut`: something was left out, so an absence proves nothing. Markers in a log
    can be printed by the code under test: everything here is what the log claims.
    """

    checkouts: tuple[Checkout, ...]
    exit_codes: tuple[int, ...]
    errors: tuple[LogLine, ...]
    told: tuple[ToldFailure, ...]
    counts: RunCounts | None
    infra: str | None
    cut: bool
    lines: int
    printed: int = 0

    @property
    def failures(self) -> tuple[Result, ...]:
        return tuple(failure.result for failure in self.told)

    @property
    def ran_out_of_time(self) -> bool:
        """Whether the runner says that it ended the job for that; GitHub then calls the job cancelled."""
        return self.infra is not None and _TIME_OUT.match(self.infra) is not None


def read_job_log(
    stream: BinaryIO, *, limit_bytes: int = LIMIT_BYTES, also: Callable[[LogLine], None] | None = None
) -> JobLog:
    """Read a log to its end; of one over the limit, the first quarter and the last three are kept.

    `also` is given every line too, for whoever looks for something else in the same pass.
    """
    log = LogText(stream, limit_bytes)
    checkouts, runs, runner = CheckoutFinder(), RunsOfLog(), _RunnerLines()
    for line in log:
        if also is not None:
            also(line)
        checkouts.feed(line.text)
        runs.feed(line)
        runner.feed(line, in_run=runs.in_run)
    told = runs.failures()
    return JobLog(
        checkouts=checkouts.checkouts(),
        exit_codes=tuple(runner.exit_codes),
        errors=tuple(runner.errors),
        told=told,
        counts=runs.counts,
        infra=runner.infra,
        cut=log.cut or runs.cut,
        lines=log.lines,
        printed=runs.printed,
    )


class _RunnerLines:
    """The lines that come from the runner rather than from a program it started.

    A test can print the same words. Those printed while tests ran count only if the run never came to its
    end, as it does not when the runner stops it.
    """

    def __init__(self) -> None:
        self.exit_codes: list[int] = []
        self.errors: list[LogLine] = []
        self._outside: tuple[int, str] | None = None
        self._in_run: tuple[int, str] | None = None
        self._was_in_run = False

    @property
    def infra(self) -> str | None:
        causes = [cause for cause in (self._outside, self._in_run) if cause is not None]
        return min(causes, key=lambda cause: cause[0])[1] if causes else None

    def feed(self, line: LogLine, *, in_run: bool) -> None:
        text = line.text
        if self._was_in_run and not in_run:
            self._leave_run(text)
        self._was_in_run = in_run
        is_error = text[:_MARK] == _ERROR
        if not is_error and "No space left" not in text:
            return
        if is_error and len(self.errors) < MAX_ERRORS:
            self.errors.append(line)
        if (code := _EXIT.match(text)) and len(self.exit_codes) < MAX_EXIT_CODES:
            self.exit_codes.append(int(code.group(1)))
        rank = next((n for n, cause in enumerate(_RUNNER_CAUSES) if cause.match(text)), None)
        if rank is None:
            return
        if in_run:
            self._in_run = _worse(self._in_run, (rank, text))
        else:
            self._outside = _worse(self._outside, (rank, text))

    def _leave_run(self, last: str) -> None:
        found, self._in_run = self._in_run, None
        if found is not None and last.startswith(NEXT_STEP):
            self._outside = _worse(self._outside, found)


def _worse(known: tuple[int, str] | None, found: tuple[int, str]) -> tuple[int, str]:
    return found if known is None or found[0] < known[0] else known
