"""pytest's sessions in a job log: their failures with their texts, and the counts of their last lines.

A session that begins while another runs is one that a test started and printed (pytester, `pytest -s`), if
the outer one comes to its own last line: then that one is the job's report. If the step ends first, the outer
one had crashed, and the next was a run of its own.
"""

import re
from typing import Final

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.pytest_session import PytestSession
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.told_failures import ToldFailures

MAX_NESTED: Final = 8

_FIRST: Final = frozenset("=0123456789#n")
_SESSION_START: Final = re.compile(r"={3,200} test session starts ={3,200}$")
_COUNTS: Final = re.compile(
    r"(?:={1,200} )?((?:\d{1,9} [a-z][a-z ]{0,30}, ){0,15}\d{1,9} [a-z][a-z ]{0,30})"
    r" in \d{1,9}(?:\.\d{1,9})?s"
)
_COUNT: Final = re.compile(r"(\d{1,9}) ([a-z]{1,30})")
_NO_TESTS: Final = re.compile(r"(?:={1,200} )?no tests ran in \d{1,9}(?:\.\d{1,9})?s")


class PytestLog:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self.counts: RunCounts | None = None
        self.printed = 0
        """Failures left out because they stand in what a test printed."""
        self._open: list[PytestSession] = []
        self._loose = PytestSession()
        self._told = ToldFailures()
        self._was_cut = False

    @property
    def in_run(self) -> bool:
        return bool(self._open)

    @property
    def cut(self) -> bool:
        sessions = any(session.cut for session in (self._loose, *self._open))
        return sessions or self._was_cut or self._told.cut

    def feed(self, line: LogLine) -> None:
        text = line.text
        if text[:1] in _FIRST and self._feed_mark(line):
            return
        if not self._open:
            self._loose.feed(line)
            return
        self._open[-1].feed(line)
        for outer in self._open[:-1]:
            outer.feed_printed(line)

    def failures(self) -> tuple[ToldFailure, ...]:
        """One a test that failed, in the order of the log."""
        self._stop()
        return self._told.in_order()

    def _feed_mark(self, line: LogLine) -> bool:
        text = line.text
        if _SESSION_START.match(text):
            self._begin(line)
        elif (counts := read_counts(text)) is not None or _NO_TESTS.match(text):
            self._end(counts)
        elif text.startswith(NEXT_STEP):
            self._stop()
        else:
            return False
        return True

    def _begin(self, line: LogLine) -> None:
        if not self._open:
            self._end(None)
        for outer in self._open:
            outer.feed_printed(line)
        if len(self._open) < MAX_NESTED:
            self._open.append(PytestSession())

    def _end(self, counts: RunCounts | None) -> None:
        """The innermost session has come to its last line, so what ran inside of it was printed."""
        session = self._open.pop() if self._open else self._loose
        self.printed += len(session.printed)
        self._hand_over(session, list(session.failures()), [] if counts is None else [counts])

    def _stop(self) -> None:
        """What is open never comes to its last line: whatever ran inside of it may have come after it."""
        while self._open:
            session = self._open.pop()
            told = [*session.failures(), *session.crashed(), *session.printed]
            self._hand_over(session, told, session.printed_counts)
        self._end(None)

    def _hand_over(self, session: PytestSession, told: list[ToldFailure], counts: list[RunCounts]) -> None:
        self._was_cut = self._was_cut or session.cut
        if session is self._loose:
            self._loose = PytestSession()
        if self._open:
            self._open[-1].printed += told
            self._open[-1].printed_counts += counts
            return
        for failure in told:
            self._told.add(*failure)
        for one in counts:
            self.counts = one if self.counts is None else self.counts + one


def read_counts(line: str) -> RunCounts | None:
    """Read `= 1 failed, 821 passed in 3.20s =`; None for any other line."""
    found = _COUNTS.match(line)
    if found is None:
        return None
    counts = {word: int(number) for number, word in _COUNT.findall(found.group(1))}
    counts["errors"] = counts.get("errors", counts.get("error", 0))
    known = {word: counts[word] for word in RunCounts.__slots__ if counts.get(word)}
    return RunCounts(**known) if known else None
