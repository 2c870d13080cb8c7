"""gotestsum's own lines: what each attempt of a test came to, its summary, its count.

It reruns every test that failed in the run before (--rerun-fails) and numbers the attempts, `(re-run 1)`; its
last line says how many runs there were. So a test whose last failed attempt is not of the last run has passed
after it. Without that proof a failure stays one. Packages are named as it prints them, mostly without the
module's path.
"""

import re
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Final

from app.domain.bounded_text import BoundedText
from app.domain.joblog.go_package import FAILED, NAME, OF_PACKAGE
from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Failed, Outcome, Result, TestId

MAX_ATTEMPTS: Final = 20_000

_RERUN: Final = r"(?: \(re-run (?P<rerun>\d{1,6})\))? \(\d{1,9}\.\d\ds\)$"
_SUMMARY: Final = re.compile(rf"=== FAIL: (?P<package>\S{{1,1000}}) (?P<name>{NAME})?{_RERUN}")
_PROGRESS: Final = re.compile(
    rf"(?:  |##\[group\])?(?P<word>FAIL|PASS) {{1,2}}(?P<package>[^\s(]{{1,1000}})\.(?P<name>{NAME}){_RERUN}"
)
_DONE: Final = re.compile(
    r"DONE (?:(?P<runs>\d{1,6}) runs, )?(?P<tests>\d{1,9}) tests?(?:, (?P<skipped>\d{1,9}) skipped)?"
    r"(?:, (?P<failures>\d{1,9}) failures?)?(?:, (?P<errors>\d{1,9}) errors?)?(?: in \d{1,9}\.\d{1,6}s)?$"
)
_TITLES: Final = ("=== Skipped", "=== Failed", "=== Errors")


@dataclass(slots=True)
class _Attempt:
    line: int
    has_passed: bool
    text: BoundedText = field(default_factory=BoundedText)

    @property
    def outcome(self) -> Outcome:
        return Failed(FAILED, str(self.text).strip("\n"), self.text.cut)


class _Series:
    """One call of gotestsum: the attempts of its tests by their number, from 0."""

    def __init__(self) -> None:
        self.attempts: dict[TestId, dict[int, _Attempt]] = {}
        self._runs = 0
        self._counts: RunCounts | None = None

    def take(self, run: "_Series") -> None:
        for test, attempts in run.attempts.items():
            self.attempts.setdefault(test, {}).update(attempts)

    def end_run(self, done: re.Match[str]) -> None:
        tests, skipped, failures, errors = (
            int(done[word] or 0) for word in ("tests", "skipped", "failures", "errors")
        )
        self._runs = int(done["runs"] or 1)
        passed = max(0, tests - skipped - failures)
        self._counts = RunCounts(failed=failures, passed=passed, errors=errors, skipped=skipped)

    def outcomes(self) -> dict[TestId, ToldFailure | None]:
        """None for a test that passed in the end."""
        return {test: self._told(test, attempts) for test, attempts in self.attempts.items()}

    def _told(self, test: TestId, attempts: dict[int, _Attempt]) -> ToldFailure | None:
        last = max(attempts)
        is_rerun = test.name != OF_PACKAGE  # only tests are; what failed around them is not tried again
        if attempts[last].has_passed or (is_rerun and last < self._runs - 1):
            return None
        in_order = [attempts[number] for number in sorted(attempts)]
        earlier = tuple(attempt.outcome for attempt in in_order[:-1])
        return ToldFailure(Result(test, in_order[-1].outcome, earlier=earlier), test.name, in_order[0].line)

    @property
    def counts(self) -> RunCounts | None:
        """The last line counts every attempt; a failed one that was rerun is no failed test."""
        if self._counts is None or self._runs == 1:
            return self._counts
        failed = sum(told is not None for told in self.outcomes().values())
        return replace(self._counts, failed=failed, rerun=max(0, self._counts.failed - failed))


class GotestsumLog:
    """Takes a step's lines in order."""

    def __init__(self) -> None:
        self.cut = False
        self._series: list[_Series] = []
        self._run = _Series()
        self._text: BoundedText | None = None

    @property
    def in_failure(self) -> bool:
        """Whether the lines are the text of a failure in the summary."""
        return self._text is not None

    def feed(self, line: LogLine) -> bool:
        """Whether the line is gotestsum's."""
        text = line.text
        if text.startswith("=== "):
            failure = _SUMMARY.match(text)
            self._text = self._attempt(failure, line.number, has_passed=False) if failure else None
            return failure is not None or text in _TITLES
        if text.startswith("DONE ") and (done := _DONE.match(text)):
            self._end_run(done)
        elif self._text is not None:
            self._text.add(text + "\n")
        elif progress := _PROGRESS.match(text):
            self._attempt(progress, line.number, has_passed=progress["word"] == "PASS")
        else:
            return False
        return True

    def outcomes(self) -> dict[TestId, ToldFailure | None]:
        """Of every test that failed once; None for one that passed in the end."""
        outcomes: dict[TestId, ToldFailure | None] = {}
        for series in [*self._series, self._run]:
            for test, told in series.outcomes().items():
                outcomes[test] = told or outcomes.get(test)
        return outcomes

    @property
    def counts(self) -> RunCounts | None:
        counted = [series.counts for series in self._series if series.counts is not None]
        return reduce(RunCounts.__add__, counted) if counted else None

    def _attempt(self, found: re.Match[str], line: int, *, has_passed: bool) -> BoundedText:
        test = TestId("", "", found["package"], found["name"] or OF_PACKAGE)
        number = int(found["rerun"] or 0)
        attempts = self._run.attempts.get(test, {})
        if has_passed and not number:
            return BoundedText()  # not a rerun, so nothing to know of
        if test not in self._run.attempts and len(self._run.attempts) >= MAX_ATTEMPTS:
            self.cut = True
            return BoundedText()
        self._run.attempts[test] = attempts
        attempt = attempts.setdefault(number, _Attempt(line, has_passed))
        attempt.text = BoundedText()
        return attempt.text

    def _end_run(self, done: re.Match[str]) -> None:
        """The line of a first run counts no runs; each later one counts all that came before it."""
        self._text = None
        if not self._series or not done["runs"]:
            self._series.append(_Series())
        self._series[-1].take(self._run)
        self._series[-1].end_run(done)
        self._run = _Series()
