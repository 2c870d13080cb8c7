"""jest's output in a job log.

What decides: `FAIL path` of a test file, and below it blocks that begin with a dot. A file that could not be
loaded is an error of that file. The summary of all failing tests names them again. Class and name are the
full title, as jest-junit has them.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.shown_failure import ShownFailure
from app.domain.joblog.told_failures import ToldFailures
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

_FILE: Final = re.compile(
    r"(?P<word>FAIL|PASS) (?:[\w @/-]{1,100} )?(?P<file>\S{1,500}\.(?:[cm]?[jt]sx?|vue|svelte))"
    r"(?: \(.{1,60}\))?$"
)
_TITLE: Final = re.compile(r"  \u25cf (?P<title>\S.{0,2000})$")
_COUNTS: Final = re.compile(r"Tests: {1,20}(.{1,200}) total$")
_COUNT: Final = re.compile(r"(\d{1,9}) (failed|passed|skipped)")
_PLACE: Final = re.compile(
    r"^\s{4,12}at (?:.{1,500} \()?(?P<path>[^\s():]{1,500}\.[cm]?[jt]sx?):(?P<line>\d{1,9}):\d{1,9}\)?$"
)
_INTO: Final = " \u203a "
_NOT_LOADED: Final = "Test suite failed to run"
_NO_TEST: Final = frozenset({"Console", "Validation Error:", "Deprecation Warning:"})
_END: Final = "Ran all test suites"


class JestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.in_run = False
        self._told = ToldFailures()
        self._file: str | None = None
        self._title = ""
        self._shown: ShownFailure | None = None

    @property
    def cut(self) -> bool:
        return self._told.cut

    def feed(self, line: LogLine) -> None:
        text = line.text
        if text[:4] in {"FAIL", "PASS"} and (file := _FILE.match(text)):
            self._leave_test()
            self.in_run = True
            self._file = file["file"] if file["word"] == "FAIL" else None
        elif not self.in_run:
            return
        elif text.startswith((*NEXT_STEP, _END)):
            self._leave_test()
            self.in_run, self._file = False, None
        elif counts := _COUNTS.match(text):
            self._count(counts[1])
        elif self._file is not None and (title := _TITLE.match(text)):
            self._leave_test()
            if title["title"] not in _NO_TEST:
                self._title = title["title"]
                self._shown = ShownFailure(line.number, _PLACE)
        elif self._shown is not None:
            self._add(text, self._shown)

    def failures(self) -> tuple[ToldFailure, ...]:
        self._leave_test()
        return self._told.in_order()

    def _add(self, text: str, shown: ShownFailure) -> None:
        if text[:1] not in {"", " "}:  # the next thing that jest says, such as `Test Suites:`
            self._leave_test()
        else:
            shown.add(text)

    def _count(self, told: str) -> None:
        self._leave_test()
        counts = RunCounts(**{word: int(number) for number, word in _COUNT.findall(told)})
        self.counts = counts if self.counts is None else self.counts + counts

    def _leave_test(self) -> None:
        shown, self._shown = self._shown, None
        if shown is None:
            return
        file = self._file or ""
        outcome: Outcome = Failed(shown.message, shown.text, shown.cut)
        title = " ".join(self._title.split(_INTO))
        test, printed = TestId("", "", title, title), self._title
        if self._title == _NOT_LOADED:
            outcome = Errored(shown.message, shown.text, shown.cut)
            test, printed = TestId("", "", _NOT_LOADED, file), file
        result = Result(test, outcome, path=shown.path or file, line=shown.line)
        self._told.add(result, printed, shown.number)
