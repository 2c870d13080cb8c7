"""The output of cargo-nextest in a job log.

What decides: the statuses after `Starting N tests across M binaries`. A test has failed if its last attempt
did; `TRY 2 PASS` and `FLAKY 2/3` are nextest's own word that a later attempt passed, and nothing else takes a
failure back. The end of the run tells failures once more: one result, and the text if it was kept for there.
In a stress run each round counts. Class and name are the binary's id and the path in it, as in nextest's own
results file. A run is over at `error: test run failed`, or below its summary where other words begin.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.nextest_status import NextestStatus, Verdict
from app.domain.joblog.nextest_test import NextestTest
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.rust_failure import RustFailure
from app.domain.joblog.told_failures import MAX_TOLD, ToldFailures
from app.domain.outcome import TestId

_BEGIN: Final = "    Starting "
_ACROSS: Final = re.compile(r" {4}Starting \d{1,9} tests? across \d{1,9} binar(?:y|ies)")
_SUMMARY: Final = re.compile(
    r"(?: {5}Summary| Stress test) \[ {0,12}\d{1,9}\.\d{1,6}s\] (?:iteration \d{1,9}(?:/\d{1,9})?: )?"
    r"\d{1,9}(?:/\d{1,9})? (?:tests? run|stress run iterations?): (?P<told>.{1,300})$"
)
_COUNT: Final = re.compile(r"(\d{1,9}) (passed|failed|timed out|skipped|exec failed|flaky)\b")
_BLOCK: Final = re.compile(r"  (?:stdout|stderr|output) \u2500{3}|--- STD(?:OUT|ERR): {1,40}\S.{0,1300} ---$")
_INDENT: Final = "    "
_BELOW_SUMMARY: Final = ("\u2500\u2500\u2500", "---", "warning: ", "info: ")
_CANCELLED: Final = ("  Cancelling", "   Canceling", "     Killing")
_FAILED: Final = "error: test run failed"


class NextestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.in_run = False
        self._told = ToldFailures()
        self._tests: dict[tuple[str, str, str], NextestTest] = {}
        self._shown: RustFailure | None = None
        self._is_block = self._is_indented = self._has_summary = self._has_cut = False

    @property
    def cut(self) -> bool:
        return self._told.cut or self._has_cut

    def feed(self, line: LogLine) -> None:
        text = line.text
        if text.startswith(_BEGIN) and _ACROSS.match(text):
            self._end()
            self.in_run = True
        elif not self.in_run:
            return
        elif text.startswith((_FAILED, *NEXT_STEP)):
            self._end()
        elif status := NextestStatus.of(text):
            self._read_status(status, line.number)
        elif summary := _SUMMARY.match(text):
            self._read_summary(text, summary["told"])
        else:
            self._read_printed(text)

    def failures(self) -> tuple[ToldFailure, ...]:
        self._end()
        return self._told.in_order()

    def _read_status(self, status: NextestStatus, number: int) -> None:
        self._leave_block()
        key = status.binary, status.name, status.stress
        test = self._tests.get(key)
        if status.verdict is Verdict.NONE:
            return
        if test is None and status.verdict in (Verdict.FAILED, Verdict.FLAKY_FAILED):
            if len(self._tests) >= MAX_TOLD:
                self._has_cut = True
                return
            test = self._tests[key] = NextestTest(number)
        if test is not None:
            self._shown = test.read(status, number)

    def _read_summary(self, text: str, told: str) -> None:
        self._leave_block()
        self._has_summary = text.startswith(_INDENT)
        if "stress run iteration" in text:  # its rounds have told their tests
            return
        found = {word: int(number) for number, word in _COUNT.findall(told)}
        counts = RunCounts(
            failed=found.get("failed", 0) + found.get("timed out", 0) + found.get("exec failed", 0),
            passed=found.get("passed", 0),
            skipped=found.get("skipped", 0),
            rerun=found.get("flaky", 0),
        )
        self.counts = counts if self.counts is None else self.counts + counts

    def _read_printed(self, text: str) -> None:
        if _BLOCK.match(text):
            self._is_block, self._is_indented = True, text.startswith("  ")
        elif self._is_block and self._goes_on(text):
            if self._shown is not None:
                self._shown.add(text.removeprefix(_INDENT) if self._is_indented else text)
        elif text and not text.startswith(_INDENT):
            self._leave_block()
            if self._has_summary and not text.startswith(_BELOW_SUMMARY):
                self._end()

    def _goes_on(self, text: str) -> bool:
        if self._is_indented:
            return not text or text.startswith(_INDENT)
        return not text.startswith(_CANCELLED)

    def _leave_block(self) -> None:
        self._shown = None
        self._is_block = False

    def _end(self) -> None:
        for (binary, name, _), test in self._tests.items():
            result = test.result(TestId("", "", binary, name))
            if result is not None:
                self._told.add(result, f"{binary} {name}", test.number)
        self._tests = {}
        self._leave_block()
        self._has_summary = self.in_run = False
