"""A job's log read once: what was checked out, how its steps ended, and which tests it names as failed."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Final

from app.domain.checkout import Checkout, CheckoutFinder
from app.domain.joblog.log_lines import LIMIT_BYTES, LogLine, LogText
from app.domain.joblog.pytest_log import PytestLog
from app.domain.joblog.run_reader import RunCounts
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
_HINT: Final = re.compile(r"##\[error\]|No space left on device")


@dataclass(frozen=True, slots=True)
class JobLog:
    """`errors` holds at most 50 lines marked as errors; `infra` quotes the line that names a runner's cause.

    `cut`: something was left out, so an absence proves nothing. Markers in a log can be printed by the code
    under test: everything here is what the log claims.
    """

    checkouts: tuple[Checkout, ...]
    exit_codes: tuple[int, ...]
    errors: tuple[LogLine, ...]
    failures: tuple[Result, ...]
    counts: RunCounts | None
    infra: str | None
    cut: bool
    lines: int

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
    checkouts, pytest, runner = CheckoutFinder(), PytestLog(), _RunnerLines()
    for line in log:
        if also is not None:
            also(line)
        checkouts.feed(line.text)
        was_in_session = pytest.in_session
        pytest.feed(line.text)
        runner.feed(
            line, in_session=pytest.in_session, session_ended=was_in_session and not pytest.in_session
        )
    failures = pytest.failures()
    return JobLog(
        checkouts=checkouts.checkouts(),
        exit_codes=tuple(runner.exit_codes),
        errors=tuple(runner.errors),
        failures=failures,
        counts=pytest.counts,
        infra=runner.infra,
        cut=log.cut or pytest.cut,
        lines=log.lines,
    )


class _RunnerLines:
    """The lines that come from the runner rather than from a program it started.

    A test can print the same words. Those printed while pytest ran count only if pytest never came to its
    end, as it does not when the runner stops it.
    """

    def __init__(self) -> None:
        self.exit_codes: list[int] = []
        self.errors: list[LogLine] = []
        self._outside: tuple[int, str] | None = None
        self._in_session: tuple[int, str] | None = None

    @property
    def infra(self) -> str | None:
        causes = [cause for cause in (self._outside, self._in_session) if cause is not None]
        return min(causes, key=lambda cause: cause[0])[1] if causes else None

    def feed(self, line: LogLine, *, in_session: bool, session_ended: bool) -> None:
        if session_ended:
            self._in_session = None
        if not _HINT.search(line.text):
            return
        if line.text.startswith(_ERROR) and len(self.errors) < MAX_ERRORS:
            self.errors.append(line)
        if (code := _EXIT.match(line.text)) and len(self.exit_codes) < MAX_EXIT_CODES:
            self.exit_codes.append(int(code.group(1)))
        rank = next((n for n, cause in enumerate(_RUNNER_CAUSES) if cause.match(line.text)), None)
        if rank is None:
            return
        if in_session:
            self._in_session = _worse(self._in_session, (rank, line.text))
        else:
            self._outside = _worse(self._outside, (rank, line.text))


def _worse(known: tuple[int, str] | None, found: tuple[int, str]) -> tuple[int, str]:
    return found if known is None or found[0] < known[0] else known
