"""jest's output in a job log.

What decides: `FAIL path` of a test file (between blanks where jest colours), and below it blocks that begin
with a dot and a title. A file that could not be loaded, or whose clean-up failed, is an error of that file. A
test has failed only if its file says so; `LOGGING RETRY ERRORS` above the file tells of its earlier attempts.
The summary of all failing tests names them again. Obsolete snapshots and open handles fail no test.

Class and name are the full title, as jest-junit has them unless it is configured otherwise. So tests of one
title in two files are one, here as there; and a title with the arrow in it differs from the results file's.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.shown_failure import ShownFailure
from app.domain.joblog.told_failures import ToldFailures
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

MAX_RETRIED: Final = 1_000
"""Earlier attempts that are kept for one file."""

_RETRIED: Final = " LOGGING RETRY ERRORS  "
_HEADS: Final = ("FAIL ", "PASS ", " FAIL  ", " PASS  ", _RETRIED)
_FILE: Final = re.compile(
    r" ?(?P<word>FAIL|PASS) {1,3}(?:[^\s>|\[][^>|\[]{0,100} )?"
    r"(?P<file>\S{1,500}\.(?:[cm]?[jt]sx?|vue|svelte))(?: \([^()]{1,60}\))?$"
)
_TITLE: Final = "  \u25cf "
_INTO: Final = " \u203a "
_COUNT: Final = re.compile(r"(\d{1,9}) (failed|passed|skipped)\b")
_PLACE: Final = re.compile(
    r"^\s{4,20}at (?:.{1,500} \()?(?P<path>(?![^\s():]{0,500}node_modules)[^\s():]{1,500}\.[cm]?[jt]sx?)"
    r":(?P<line>\d{1,9}):\d{1,9}\)?$"
)
_NOT_LOADED: Final = "Test suite failed to run"
_NO_TEST: Final = frozenset({"Console", "Validation Error:", "Validation Warning:", "Deprecation Warning:"})
_NEXT: Final = (_INTO, "  console.")
"""Snapshots of the file, and with --verbose what the next file's tests printed."""
_END: Final = "Ran all test suites"


class JestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.in_run = False
        self._told = ToldFailures()
        self._file: str | None = None
        self._title: str | None = None
        self._shown: ShownFailure | None = None
        self._retried: list[tuple[str, ShownFailure]] = []
        self._earlier: list[tuple[str, ShownFailure]] = []

    @property
    def cut(self) -> bool:
        return self._told.cut

    def feed(self, line: LogLine) -> None:
        text = line.text
        if text.startswith(_HEADS) and self._read_head(text):
            self.in_run = True
        elif not self.in_run:
            return
        elif text.startswith((*NEXT_STEP, _END)):
            self._leave_file()
            self.in_run = False
        elif text.startswith("Tests: ") and text.endswith(" total"):
            self._count(text)
        elif text.startswith(_TITLE):
            self._read_title(text.removeprefix(_TITLE), line.number)
        elif text.startswith(" RETRY ") and self._file is None:
            self._read_retry(line.number)
        elif self._shown is not None:
            self._add(text, self._shown)

    def failures(self) -> tuple[ToldFailure, ...]:
        self._leave_test()
        return self._told.in_order()

    def _read_head(self, text: str) -> bool:
        if text.startswith(_RETRIED):
            earlier = self._retried if self._file is None else []
            self._leave_file()
            self._title, self._retried = text.removeprefix(_RETRIED), earlier
            return True
        file = _FILE.match(text)
        if file is None:
            return False
        retried = self._retried
        self._leave_file()
        if file["word"] == "FAIL":
            self._file, self._earlier = file["file"], retried
        return True

    def _read_title(self, title: str, number: int) -> None:
        self._leave_test()
        if self._file is not None and title[:1] not in {"", " "} and title not in _NO_TEST:
            self._title = title
            self._shown = ShownFailure(number, _PLACE)

    def _read_retry(self, number: int) -> None:
        """Begin an earlier attempt of the test that was named last."""
        self._shown = ShownFailure(number, _PLACE)
        if self._title is not None and len(self._retried) < MAX_RETRIED:
            self._retried.append((self._title, self._shown))

    def _add(self, text: str, shown: ShownFailure) -> None:
        if text[:1] in {"", " "} and not text.startswith(_NEXT):
            shown.add(text)
        else:
            self._leave_test()

    def _count(self, text: str) -> None:
        self._leave_file()
        counts = RunCounts(**{word: int(number) for number, word in _COUNT.findall(text)})
        self.counts = counts if self.counts is None else self.counts + counts

    def _leave_file(self) -> None:
        self._leave_test()
        self._file = self._title = None
        self._earlier, self._retried = [], []

    def _leave_test(self) -> None:
        shown, self._shown = self._shown, None
        if shown is None or self._title is None or self._file is None:
            return
        file, arrows = self._file, self._title
        title = arrows.replace(_INTO, " ")
        outcome: Outcome = Failed(shown.message, shown.text, shown.cut)
        test, printed = TestId("", "", title, title), arrows
        if arrows == _NOT_LOADED:
            outcome = Errored(shown.message, shown.text, shown.cut)
            test, printed = TestId("", "", _NOT_LOADED, file), file
        earlier = tuple(
            Failed(one.message, one.text, one.cut) for name, one in self._earlier if name == title
        )
        result = Result(test, outcome, path=shown.path or file, line=shown.line, earlier=earlier)
        self._told.add(result, printed, shown.number)
