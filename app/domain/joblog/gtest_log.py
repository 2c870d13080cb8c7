"""googletest's output in a job log.

What decides: `[  FAILED  ] Suite.Name` at the beginning of a line, or glued to what the running test printed
without a line end. The text of a test is what stands between its `[ RUN      ]` and its result; the list at
the end names failures again. Lines that ctest prefixes (`12: [  FAILED  ] ...`) are ctest's. A test without a
result has failed if the log says next that a process crashed, or that the step ended with an exit code that
no kill from outside has; that the log just ends, or that another test begins, proves nothing.
"""

import re
from typing import Final

from app.domain.joblog.gtest_case import Case
from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP, ended_by_itself, tells_death
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.told_failures import ToldFailures
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

MAX_SUITES: Final = 1000
"""Suites whose failed set-up or tear-down keeps its text until the list at the end names it."""

_RUN: Final = "[ RUN      ] "
_RESULT: Final = re.compile(r"\[(?P<word>  FAILED  |       OK |  SKIPPED )\] (?P<rest>.{1,6000})$")
_MARK: Final = len("[  FAILED  ")
_TEST: Final = re.compile(
    r"(?P<suite>[^\s,]{1,1000})\.(?P<name>[\w/]{1,500})(?:, where .{1,4000}| \(\d{1,9} ms\))?$"
)
_SUITE_FAILED: Final = re.compile(
    r"(?P<suite>[^\s:]{1,1000}): (?P<name>SetUpTest(?:Suite|Case) or TearDownTest(?:Suite|Case))$"
)
_BEGIN: Final = re.compile(r"\[={10}\] Running \d{1,9} tests? from ")
_END: Final = re.compile(r"\[={10}\] \d{1,9} tests? from \d{1,9} test (?:suite|case)s? ran\.")
_SUITE: Final = re.compile(r"\[-{10}\] \d{1,9} tests? from ([^\s,]{1,1000})(?:, where .{1,4000})?$")
_COUNT: Final = re.compile(r"\[  (PASSED|FAILED|SKIPPED) {1,2}\] (\d{1,9}) tests?[.,]")


class GtestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.in_run = False
        self._told = ToldFailures()
        self._case: Case | None = None
        self._crash: str | None = None
        self._around: Case | None = None
        self._suites: dict[str, Case] = {}

    @property
    def cut(self) -> bool:
        return self._told.cut

    def feed(self, line: LogLine) -> None:
        if line.text[:1] == "[":
            self._read_mark(line)
        elif self._case is not None:
            self._follow_test(line, self._case)
        elif self._around is not None:
            self._around.add(line.text)

    def failures(self) -> tuple[ToldFailure, ...]:
        self._drop_test()
        return self._told.in_order()

    def _read_mark(self, line: LogLine) -> None:
        text = line.text
        if text.startswith(_RUN):
            self._drop_test()
            self.in_run = True
            self._case = Case(text.removeprefix(_RUN), line.number)
        elif self._case is None and (count := _COUNT.match(text)):
            self._count(count.group(1), int(count.group(2)))
        elif result := _RESULT.match(text):
            self._read_result(result, line)
        elif text.startswith("[===") and (_BEGIN.match(text) or _END.match(text)):
            self._drop_test()
            self._leave_suite()
            self.in_run = _BEGIN.match(text) is not None
        elif text.startswith("[---") and (suite := _SUITE.match(text)):
            self._leave_suite()
            self._around = Case(suite.group(1), line.number)
        elif self._case is not None:
            self._case.add(text)

    def _read_result(self, result: re.Match[str], line: LogLine) -> None:
        is_failure = result["word"] == "  FAILED  "
        test = _TEST.match(result["rest"])
        if test is None:
            if is_failure and (suite := _SUITE_FAILED.match(result["rest"])):
                self._tell_suite(suite["suite"], suite["name"], line.number)
            return
        printed = f"{test['suite']}.{test['name']}"
        case = self._case
        if case is not None and case.printed != printed:
            case.add(line.text)  # printed by the test, as tests of test runners do
            return
        if is_failure:
            case = case or Case(printed, line.number)
            self._tell(case, Failed(case.message, case.text, case.cut), line.number)
        self._case = self._crash = None

    def _tell(self, case: Case, outcome: Outcome, number: int) -> None:
        suite, _, name = case.printed.rpartition(".")
        result = Result(TestId("", "", suite, name), outcome, path=case.path, line=case.line)
        self._told.add(result, case.printed, number)

    def _tell_suite(self, suite: str, name: str, number: int) -> None:
        """What fails before the first test of a suite or after its last is an error of the suite."""
        case = self._suites.pop(suite, None) or Case(suite, number)
        outcome = Errored(case.message, case.text, case.cut)
        result = Result(TestId("", suite, "", name), outcome, path=case.path, line=case.line)
        self._told.add(result, f"{suite}: {name}", number)
        self._add_counts(RunCounts(errors=1))

    def _follow_test(self, line: LogLine, case: Case) -> None:
        text = line.text
        at = text.rfind(case.mark) - _MARK
        if at > 0 and (result := _RESULT.match(text, at)):
            case.add(text[:at])
            self._read_result(result, line)
            return
        if self._crash is None and (tells_death(text) or ended_by_itself(text)):
            self._crash = text
        if text.startswith(NEXT_STEP):
            self._drop_test()
            self.in_run = False
        else:
            case.add(text)

    def _drop_test(self) -> None:
        """The running test gets no result any more."""
        case, self._case = self._case, None
        if case is not None and self._crash is not None and _TEST.match(case.printed):
            self._tell(case, Errored(self._crash, case.text, case.cut), case.number)
        self._crash = None

    def _leave_suite(self) -> None:
        around, self._around = self._around, None
        if around is not None and around.has_failure and len(self._suites) < MAX_SUITES:
            self._suites[around.printed] = around

    def _count(self, word: str, number: int) -> None:
        self._add_counts(RunCounts(**{word.lower(): number}))

    def _add_counts(self, counts: RunCounts) -> None:
        self.counts = counts if self.counts is None else self.counts + counts
