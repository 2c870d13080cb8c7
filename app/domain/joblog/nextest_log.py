"""The output of cargo-nextest in a job log.

What decides: a status with a time (`FAIL [   0.004s] crate module::test`) after `Starting N tests across M
binaries`. `TRY n FAIL` is an attempt: the test failed unless `FLAKY` or `TRY n PASS` follows, and then its
failed attempts are earlier ones of no failure. What the summary repeats is the same failure. The class is the
binary's id, as in nextest's own results file.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.shown_failure import ShownFailure
from app.domain.joblog.told_failures import MAX_TOLD, ToldFailures
from app.domain.outcome import Failed, Result, TestId

_BEGIN: Final = re.compile(r"\s{0,12}Starting \d{1,9} tests? across \d{1,9} binar(?:y|ies)")
_STATUS: Final = re.compile(
    r"\s{0,16}(?:TRY \d{1,4} )?"
    r"(?P<word>PASS|FAIL|ABORT|TIMEOUT|LEAK|SIG[A-Z]{2,8}|TMT|SLOW|FLAKY \d{1,4}/\d{1,4})"
    r" \[[ >]{0,12}\d{1,9}\.\d{1,6}s\] (?:\( {0,9}\d{1,9}/\d{1,9}\) )?"
    r"(?P<binary>\S{1,300}) (?P<name>\S.{0,1000})$"
)
_SUMMARY: Final = re.compile(
    r"\s{0,16}Summary \[ {0,12}\d{1,9}\.\d{1,6}s\] \d{1,9}(?:/\d{1,9})? tests? run: (.{1,300})$"
)
_COUNT: Final = re.compile(r"(\d{1,9}) (passed|failed|timed out|skipped|exec failed)")
PANIC: Final = re.compile(
    r"panicked at (?:'.{0,4000}', )?(?P<path>[^\s:']{1,500}):(?P<line>\d{1,9}):\d{1,9}:?$"
)
_PASSED: Final = ("PASS", "FLAKY", "LEAK")


class NextestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.in_run = False
        self._told = ToldFailures()
        self._failed: dict[tuple[str, str], tuple[str, ShownFailure]] = {}
        self._shown: ShownFailure | None = None
        self._has_summary = False

    @property
    def cut(self) -> bool:
        return self._told.cut

    def feed(self, line: LogLine) -> None:
        text = line.text
        if _BEGIN.match(text):
            self._end()
            self.in_run = True
        elif not self.in_run:
            return
        elif text.startswith(NEXT_STEP):
            self._end()
        elif summary := _SUMMARY.match(text):
            self._count(summary[1])
        elif status := _STATUS.match(text):
            self._read_status(status, line.number)
        elif text.startswith("error: test run failed"):
            self._end()
        elif self._shown is not None:
            self._shown.add(text)

    def failures(self) -> tuple[ToldFailure, ...]:
        self._end()
        return self._told.in_order()

    def _read_status(self, status: re.Match[str], number: int) -> None:
        word, test = status["word"], (status["binary"], status["name"])
        self._shown = None
        if word.startswith(_PASSED):
            self._failed.pop(test, None)
        elif word != "SLOW" and not self._has_summary and len(self._failed) < MAX_TOLD:
            _, self._shown = self._failed.setdefault(test, (word, ShownFailure(number, PANIC)))

    def _count(self, told: str) -> None:
        found = {word: int(number) for number, word in _COUNT.findall(told)}
        failed = found.get("failed", 0) + found.get("timed out", 0) + found.get("exec failed", 0)
        counts = RunCounts(failed=failed, passed=found.get("passed", 0), skipped=found.get("skipped", 0))
        self.counts = counts if self.counts is None else self.counts + counts
        self._has_summary = True
        self._shown = None

    def _end(self) -> None:
        for (binary, name), (word, shown) in self._failed.items():
            outcome = Failed(shown.message or f"nextest says {word}", shown.text, shown.cut)
            result = Result(TestId("", "", binary, name), outcome, path=shown.path, line=shown.line)
            self._told.add(result, f"{binary} {name}", shown.number)
        self._failed = {}
        self._shown = None
        self._has_summary = self.in_run = False
