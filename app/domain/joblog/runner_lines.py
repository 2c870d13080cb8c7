"""The lines of a log that come from the runner rather than from a program it started."""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.runner_cause import Stopped, cause_of, more_telling

MAX_ERRORS: Final = 50
MAX_EXIT_CODES: Final = 1000

_ERROR: Final = "##[error]"
_MARK: Final = len(_ERROR)
_EXIT: Final = re.compile(r"##\[error\]Process completed with exit code (-?\d{1,10})\.$")
_WORDS: Final = ("No space left", "Killed", "manifest ", "toomanyrequests", "pull access denied")
"""What tells a cause in lines that are not marked as errors."""


class RunnerLines:
    """Takes a log's clean lines in order.

    A test can print the same words. Those printed while tests ran count only if the run never came to its
    end, as it does not when the runner stops it.
    """

    def __init__(self) -> None:
        self.exits: list[tuple[int, int]] = []
        """Line numbers and exit codes."""
        self.errors: list[LogLine] = []
        self._outside: Stopped | None = None
        self._in_run: Stopped | None = None
        self._was_in_run = False

    @property
    def stopped(self) -> Stopped | None:
        return more_telling(self._outside, self._in_run)

    def feed(self, line: LogLine, *, in_run: bool) -> None:
        text = line.text
        if self._was_in_run and not in_run:
            self._leave_run(text)
        self._was_in_run = in_run
        is_error = text[:_MARK] == _ERROR
        if is_error:
            self._read_error(line)
        elif not (
            _WORDS[0] in text
            or _WORDS[1] in text
            or _WORDS[2] in text
            or _WORDS[3] in text
            or _WORDS[4] in text
        ):
            return
        cause = cause_of(text)
        if cause is None:
            return
        found = Stopped(cause, line)
        if in_run:
            self._in_run = more_telling(self._in_run, found)
        else:
            self._outside = more_telling(self._outside, found)

    def _read_error(self, line: LogLine) -> None:
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(line)
        if (code := _EXIT.match(line.text)) and len(self.exits) < MAX_EXIT_CODES:
            self.exits.append((line.number, int(code.group(1))))

    def _leave_run(self, last: str) -> None:
        found, self._in_run = self._in_run, None
        if last.startswith(NEXT_STEP):
            self._outside = more_telling(self._outside, found)
