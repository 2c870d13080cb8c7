"""vitest's output in a job log.

What decides: ` FAIL  path > suite > test` below `Failed Tests` or `Failed Suites`; above them such a line was
printed by a test. Several of them above one error share it, and a test that is named once for each of its
errors is one. Below `Failed Suites` they are errors of a file or of a suite's set-up. Where a run was cut off
before these lists, the marks of the tests count, if they hold the whole name (`vitest_marks`). An unhandled
error makes a run red without a failed test: it is counted, and no test is blamed.

The class is the file and the name the rest, as in vitest's own JUnit file, which leaves the project out.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.shown_failure import ShownFailure
from app.domain.joblog.told_failures import ToldFailures
from app.domain.joblog.vitest_marks import VitestMarks
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

MAX_SHARED: Final = 1_000

_BEGIN: Final = re.compile(r" {0,4}(?:RUN|DEV) {1,3}v\d{1,4}\.\d")
_FAIL: Final = re.compile(
    r" FAIL {1,2}(?:\|[^|]{1,100}\| | [^>\[]{1,100}?  )?(?P<file>\S{1,500}\.\w{1,8})"
    r"(?: > (?P<name>\S.{0,2000})| \[ \S{1,500} \])$"
)
_LIST: Final = re.compile(
    r"\u23af{1,200} (?P<kind>Failed Suites|Failed Tests|\w[\w ]{1,60}) (?:\d{1,9} )?\u23af{1,200}$"
)
_NEXT: Final = re.compile(r"\u23af{1,200}\[\d{1,9}/\d{1,9}\]\u23af{1,200}$")
_NUMBERS: Final = re.compile(r" {2,12}(?P<what>Tests|Errors) {2}(?P<told>\d.{0,200})$")
_COUNT: Final = re.compile(r"(\d{1,9}) (failed|passed|skipped|todo|error)")
_PLACE: Final = re.compile(
    r"^ \u276f (?:.{1,200} )?(?P<path>(?![^\s:]{0,500}node_modules)[^\s:]{1,500}\.\w{1,8})"
    r":(?P<line>\d{1,9}):\d{1,9}$"
)
_END: Final = re.compile(r" {2,12}Duration {2}\d")


class VitestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.in_run = False
        self._told = ToldFailures()
        self._marks = VitestMarks()
        self._list = ""
        self._named: list[tuple[str, str | None, int]] = []
        self._shown: ShownFailure | None = None
        self._has_cut = False

    @property
    def cut(self) -> bool:
        return self._told.cut or self._has_cut

    def feed(self, line: LogLine) -> None:
        text = line.text
        if not self.in_run:
            if text[:1] in {" ", "R", "D"} and _BEGIN.match(text):
                self.in_run = True
        elif text.startswith("\u23af"):
            self._read_border(text)
        elif text.startswith(NEXT_STEP) or _END.match(text):
            self._end(is_whole=not text.startswith(NEXT_STEP))
        elif text.startswith("  ") and (numbers := _NUMBERS.match(text)):
            self._count(numbers["told"])
        elif self._list in {"Failed Tests", "Failed Suites"}:
            self._read_listed(line)
        elif not self._list:
            self._marks.feed(line)

    def failures(self) -> tuple[ToldFailure, ...]:
        self._end(is_whole=False)
        return self._told.in_order()

    def _read_border(self, text: str) -> None:
        """A border without a number or a title stands inside of an error."""
        if begun := _LIST.match(text):
            self._leave_tests()
            self._list = begun["kind"]
        elif _NEXT.match(text):
            self._leave_tests()

    def _read_listed(self, line: LogLine) -> None:
        failed = _FAIL.match(line.text) if line.text.startswith(" FAIL ") else None
        if failed is None:
            if self._shown is not None:
                self._shown.add(line.text)
            return
        if self._shown is not None and self._shown.message:
            self._leave_tests()
        if len(self._named) < MAX_SHARED:
            self._named.append((failed["file"], failed["name"], line.number))
        else:
            self._has_cut = True
        self._shown = ShownFailure(line.number, _PLACE)

    def _count(self, told: str) -> None:
        found = {word: int(number) for number, word in _COUNT.findall(told)}
        counts = RunCounts(
            failed=found.get("failed", 0),
            passed=found.get("passed", 0),
            skipped=found.get("skipped", 0) + found.get("todo", 0),
            errors=found.get("error", 0),
        )
        self.counts = counts if self.counts is None else self.counts + counts

    def _leave_tests(self) -> None:
        shown, self._shown = self._shown, None
        named, self._named = self._named, []
        if shown is None:
            return
        kind = Failed if self._list == "Failed Tests" else Errored
        outcome: Outcome = kind(shown.message, shown.text, shown.cut)
        for file, name, number in named:
            earlier = self._marks.earlier(file, name or "")
            test = TestId("", "", file, name or file)
            result = Result(test, outcome, path=shown.path or file, line=shown.line, earlier=earlier)
            self._told.add(result, file if name is None else f"{file} > {name}", number)

    def _end(self, *, is_whole: bool) -> None:
        self._leave_tests()
        if not is_whole:
            for file, name, mark in self._marks.failed():
                test = TestId("", "", file, name)
                if test not in self._told:
                    outcome = Failed(mark.message, mark.message)
                    self._told.add(Result(test, outcome, path=file), f"{file} > {name}", mark.number)
        if self.counts is not None and self._marks.reruns:
            self.counts += RunCounts(rerun=self._marks.reruns)
        self._has_cut = self._has_cut or self._marks.cut
        self._marks = VitestMarks()
        self._list = ""
        self.in_run = False
