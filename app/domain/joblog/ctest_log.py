"""ctest's output in a job log.

What decides: the result line of a test (`3/5 Test #3: name ....***Failed`), and the list under
`The following tests FAILED:`. Stars are a failure unless they say Skipped or Disabled; a program that is
missing (`Not Run`) counts as failed, as ctest counts it. A further result line of the same number in one run
is a repetition by ctest itself (--repeat): the last one decides, and the others are earlier attempts. The
text is what stands below the line (--output-on-failure), or above it behind the test's number (-V).
"""

import re
from dataclasses import replace
from typing import Final

from app.domain.joblog.ctest_test import CtestTest, read_reason
from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.told_failures import MAX_TOLD, ToldFailures

SUMMARY_LINES: Final = 200
"""Lines after which a summary that lists nothing more is over; times of labels may stand before the list."""

_BEGIN: Final = "Test project "
_START: Final = re.compile(r" *Start +(\d{1,9}): (\S.{0,1000})$")
_RESULT: Final = re.compile(r" *(?P<of>\d{1,9}/\d{1,9} +)?Test +#(?P<number>\d{1,9}): (?P<rest>\S.*)$")
_OUTPUT: Final = re.compile(r"(\d{1,9}): ?")
_PASSED: Final = re.compile(r"\d{1,3}% tests passed, (\d{1,9}) tests? failed(?: out of (\d{1,9}))?")
_LISTS: Final = ("The following tests FAILED:", "The following tests did not run:")
_ITEM: Final = re.compile(r"\s{1,20}(\d{1,9}) - (\S.{0,1000}?) \(([^()]{1,80})\)(?: {1,40}\S.{0,1000})?$")
_IDLE: Final = ("Skipped", "Disabled")


class CtestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.in_run = False
        self._told = ToldFailures()
        self._tests: dict[int, CtestTest] = {}
        self._current: CtestTest | None = None
        self._too_many = False
        self._summary_left = 0
        self._in_list = False

    @property
    def cut(self) -> bool:
        return self._told.cut or self._too_many

    def feed(self, line: LogLine) -> None:
        text = line.text
        if not self.in_run and not self._summary_left and "Test" not in text:
            return
        if text.startswith(_BEGIN):
            self._end_run()
            self.in_run = True
        elif text.startswith(NEXT_STEP):
            self._end_run()
        elif self._summary_left:
            self._read_summary(line)
        else:
            self._read_run(line)

    def failures(self) -> tuple[ToldFailure, ...]:
        self._end_run()
        return self._told.in_order()

    def _end_run(self) -> None:
        for test in self._tests.values():
            if test.reason is not None:
                self._told.add(test.result(test.reason), test.name, test.number)
        self._tests = {}
        self._current = None
        self.in_run = self._in_list = False
        self._summary_left = 0

    def _read_run(self, line: LogLine) -> None:
        text = line.text
        if "est" not in text and "Start" not in text:
            self._read_output(text)
        elif (result := _RESULT.match(text)) and (self.in_run or result["of"]):
            self._read_result(result, line)
        elif not self.in_run:
            return
        elif start := _START.match(text):
            self._current = self._begin(int(start.group(1)), start.group(2), line.number)
        elif passed := _PASSED.match(text):
            failed, of = int(passed.group(1)), int(passed.group(2) or 0)
            self._add_counts(RunCounts(failed=failed, passed=max(0, of - failed)))
            self.in_run, self._current = False, None
            self._summary_left = SUMMARY_LINES
        else:
            self._read_output(text)

    def _begin(self, number: int, name: str, line: int) -> CtestTest | None:
        test = self._tests.get(number)
        if test is not None:
            test.begin_again()
        elif len(self._tests) < MAX_TOLD:
            test = self._tests[number] = CtestTest(name, line)
        else:
            self._too_many = True
        return test

    def _read_result(self, result: re.Match[str], line: LogLine) -> None:
        number = int(result["number"])
        name, dots, status = result["rest"].partition(" ..")
        if not dots:
            self._read_output(line.text)
            return
        self.in_run = True
        test = self._tests.get(number)
        if test is None or test.reason is not None:
            test = self._begin(number, name, line.number)
        reason = read_reason(status)
        self._current = test if reason else None
        if reason is None:
            self._tests.pop(number, None)
        elif test is not None:
            test.fail(reason, line.number)

    def _read_output(self, text: str) -> None:
        output = _OUTPUT.match(text) if text[:1].isdecimal() else None
        test = self._tests.get(int(output.group(1))) if output else None
        if output and test is not None:
            test.add(text[output.end() :])
        elif self._current is not None:
            self._current.add(text)

    def _read_summary(self, line: LogLine) -> None:
        self._summary_left -= 1
        if line.text in _LISTS:
            self._in_list = True
        elif self._in_list and (item := _ITEM.match(line.text)):
            self._summary_left = SUMMARY_LINES
            self._read_item(int(item.group(1)), item.group(2), item.group(3), line.number)
        else:
            self._in_list = False

    def _read_item(self, number: int, name: str, reason: str, line: int) -> None:
        if reason in _IDLE:
            self._count_idle(reason)
            return
        test = self._tests.get(number) or self._begin(number, name, line)
        if test is not None:
            test.name = name  # older versions shorten it in the result line
            test.reason = test.reason or reason

    def _count_idle(self, reason: str) -> None:
        """What was skipped stands among those that passed, what is disabled nowhere."""
        counts = self.counts or RunCounts()
        passed = counts.passed - (reason == "Skipped")
        self.counts = replace(counts, skipped=counts.skipped + 1, passed=max(0, passed))

    def _add_counts(self, counts: RunCounts) -> None:
        self.counts = counts if self.counts is None else self.counts + counts
