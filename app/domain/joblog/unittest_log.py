"""unittest's output in a job log, also as Django, PyTorch's test files and unittest-xml-reporting print it.

What decides: a failure is a header (`FAIL: `, `ERROR: ` or `UNEXPECTED SUCCESS: ` and a test's name) right
below a rule of exactly 70 `=`; it ends at the next one or at `Ran N tests in Xs`. The counts are the words in
brackets behind FAILED or OK after that line. For a run that never comes to its headers, the lines of -v tell
(see unittest_progress.py).
"""

import re
from dataclasses import replace
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.told_failures import ToldFailures
from app.domain.joblog.unittest_names import read_test, without_subtest
from app.domain.joblog.unittest_progress import BARE, DOTS, UNEXPECTED_SUCCESS, Progress
from app.domain.joblog.unittest_section import RULE, Section
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

STATUS_LINES: Final = 5
"""FAILED or OK stands second after `Ran N tests`, unless another process prints between."""

_BEGINNINGS: Final = ("====", "Ran ")
"""Outside of a failure and of a test no other line matters, so most of a log is passed over by this alone."""
_HEADER: Final = re.compile(
    r"(?P<word>FAIL|ERROR|UNEXPECTED SUCCESS)(?: \[\d{1,9}\.\d{1,9}s\])?: (?P<test>.{1,4000})$"
)
_RAN: Final = re.compile(r"Ran (\d{1,9}) tests? in \d{1,9}(?:\.\d{1,9})?s$")
_STATUS: Final = re.compile(r"(?:FAILED|OK|NO TESTS RAN)(?: \(([a-z =0-9,]{1,200})\))?$")
_COUNT: Final = re.compile(r"([a-z ]{1,30})=(\d{1,9})")


class _Header:
    """A failure while its text is read."""

    def __init__(self, test: TestId | None, printed: str, word: str, line: int) -> None:
        self.test = test
        self.printed = printed
        self.line = line
        self.section = Section(test.name.partition(" ")[0] if test else "")
        self._word = word

    @property
    def outcome(self) -> Outcome:
        if self._word == "UNEXPECTED SUCCESS":
            return Failed(UNEXPECTED_SUCCESS, "")
        kind = Errored if self._word == "ERROR" else Failed
        return kind(self.section.message, self.section.text, self.section.cut)


class UnittestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self._told = ToldFailures()
        self._progress = Progress()
        self._header: _Header | None = None
        self._above = LogLine(0, "")
        self._is_quiet = True
        self._is_below_rule = False
        self._ran: int | None = None
        self._lines_since_ran = 0

    @property
    def cut(self) -> bool:
        return self._told.cut or self._progress.cut

    @property
    def in_run(self) -> bool:
        return self._progress.in_run

    def feed(self, line: LogLine) -> None:
        text = line.text
        if not self._is_quiet or DOTS in text or text[:4] in _BEGINNINGS:
            self._read(line)
            self._is_quiet = not (
                self._is_below_rule
                or self._header is not None
                or self._ran is not None
                or self._progress.in_test
            )
        self._above = line

    def _read(self, line: LogLine) -> None:
        text = line.text
        if self._is_below_rule:
            self._is_below_rule = False
            if header := _HEADER.match(text):
                self._open(header, line.number)
                return
            if self._header is not None:
                self._header.section.add(RULE)
        if text == RULE:
            self._is_below_rule = True
        elif text.startswith("Ran ") and (ran := _RAN.match(text)):
            self._end_run(int(ran.group(1)))
        elif self._header is not None:
            self._feed_section(text, self._header)
        else:
            if self._ran is not None:
                self._read_status(text, self._ran)
            self._progress.feed(line, self._above)

    def failures(self) -> tuple[ToldFailure, ...]:
        self._close()
        self._progress.end_test(alive=False)
        named = {without_subtest(told.result.test) for told in self._told.in_order()}
        for result, printed, line in self._progress.told:
            test = result.test
            # A bare word for a test whose subtests have headers is no failure of its own.
            if result.outcome not in BARE or test in self._told or without_subtest(test) not in named:
                self._told.add(result, printed, line)
        return self._told.in_order()

    def _open(self, header: re.Match[str], number: int) -> None:
        self._close()
        self._progress.end_test(alive=True)
        self._ran = None
        self._progress.in_run = True
        self._header = _Header(read_test(header["test"]), header["test"], header["word"], number)

    def _feed_section(self, text: str, header: _Header) -> None:
        if text.startswith(NEXT_STEP):
            self._close()
        else:
            header.section.add(text)

    def _close(self) -> None:
        header, self._header = self._header, None
        if header is not None and header.test is not None:
            section = header.section
            result = Result(header.test, header.outcome, path=section.path, line=section.line)
            self._told.add(result, header.printed, header.line)

    def _end_run(self, ran: int) -> None:
        self._close()
        self._progress.end_test(alive=True)
        self._progress.in_run = False
        self._ran, self._lines_since_ran = ran, 0

    def _read_status(self, text: str, ran: int) -> None:
        self._lines_since_ran += 1
        status = _STATUS.match(text)
        if status is not None:
            counts = _read_counts(ran, status.group(1) or "")
            self.counts = counts if self.counts is None else self.counts + counts
        if status is not None or self._lines_since_ran >= STATUS_LINES:
            self._ran = None


def _read_counts(ran: int, words: str) -> RunCounts:
    """Unexpected successes are failures here. At least `passed` tests passed: it is what is left of the tests
    that ran, and a test with several failed subtests counts as several failures.
    """
    told = {word.strip(): int(number) for word, number in _COUNT.findall(words)}
    counts = RunCounts(
        failed=told.get("failures", 0) + told.get("unexpected successes", 0),
        errors=told.get("errors", 0),
        skipped=told.get("skipped", 0),
        xfailed=told.get("expected failures", 0),
    )
    red = counts.failed + counts.errors
    return replace(counts, passed=max(0, ran - red - counts.skipped - counts.xfailed))
