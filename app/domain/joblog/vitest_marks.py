"""The marks that vitest prints at tests while they run: a cross, `src/a.test.ts > sum > adds 7ms (retry x2)`.

A mark holds the whole name if it holds the file, or if it stands three columns in below its file's line; the
deeper ones come from versions that leave the suites out. `(retry x2)` is vitest's word for three attempts,
and below a failed one stands the error of each.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.told_failures import MAX_TOLD
from app.domain.outcome import Failed, Outcome

MAX_ATTEMPTS: Final = 100

_FILE: Final = re.compile(
    r" [\u2713\u276f\u00d7] (?:\|[^|]{1,100}\| | [^>(]{1,100}?  )?"
    r"(?P<file>\S{1,500}\.\w{1,8}) {1,2}\(\d{1,9} tests?\b"
)
_MARK: Final = re.compile(
    r"(?P<indent> (?:  )?)[\u2713\u276f\u00d7] (?:\|[^|]{1,100}\| | [^>(]{1,100}?  )?"
    r"(?:(?P<file>\S{1,500}\.\w{1,8}) > )?(?P<name>\S.{0,2000}?)"
    r"(?: \d{1,9}ms)?(?: \(retry x(?P<retries>\d{1,4})\))?(?: \(repeat x\d{1,9}\))?$"
)
_ERROR: Final = re.compile(r" {3}(?:  )?\u2192 (?P<words>.{1,4000})$")
_FAILED: Final = ("\u00d7", "\u276f")
"""Before version 2 a failed test had the arrow of a failed file."""


class Mark:
    """One failed test; `errors` are the first lines of each attempt's errors."""

    def __init__(self, number: int, retries: int) -> None:
        self.number = number
        self.retries = retries
        self.errors: list[str] = []

    @property
    def message(self) -> str:
        return self.errors[-1] if self.errors else ""


class VitestMarks:
    """Takes the lines of one run up to its lists of failures."""

    def __init__(self) -> None:
        self.reruns = 0
        """Tests that passed in a later attempt."""
        self.cut = False
        self._file = ""
        self._failed: dict[tuple[str, str], Mark] = {}
        self._last: Mark | None = None

    def feed(self, line: LogLine) -> None:
        text = line.text
        if text[:1] != " ":
            return
        if error := _ERROR.match(text):
            if self._last is not None and len(self._last.errors) < MAX_ATTEMPTS:
                self._last.errors.append(error["words"])
        elif file := _FILE.match(text):
            self._file, self._last = file["file"], None
        elif mark := _MARK.match(text):
            self._read(text, mark, line.number)

    def failed(self) -> list[tuple[str, str, Mark]]:
        return [(file, name, mark) for (file, name), mark in self._failed.items()]

    def earlier(self, file: str, name: str) -> tuple[Outcome, ...]:
        """The attempts before the last one of a failed test."""
        mark = self._failed.get((file, name))
        if mark is None:
            return ()
        errors = mark.errors if len(mark.errors) == mark.retries + 1 else [""] * (mark.retries + 1)
        return tuple(Failed(words, words) for words in errors[:-1][-MAX_ATTEMPTS:])

    def _read(self, text: str, mark: re.Match[str], number: int) -> None:
        self._last = None
        retries = int(mark["retries"] or 0)
        file = mark["file"] or (self._file if len(mark["indent"]) > 1 else "")
        if text.lstrip().startswith(_FAILED):
            if file and len(self._failed) < MAX_TOLD:
                self._last = self._failed.setdefault((file, mark["name"]), Mark(number, retries))
            elif file:
                self.cut = True
        elif retries:
            self.reruns += 1
