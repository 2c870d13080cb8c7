"""All test runners of one log: each reader takes its lines; what one run printed inside another is left out.

The rule: a failure whose line stands inside the run of another runner that began earlier, and that came to
its own end, is output of one of its tests, as tests print it that start another runner. The outer report is
the job's. If the outer run never came to its end, both are told: it crashed, and the next run followed. The
counts are those of the readers added up, without a reader that had a run inside another's: its numbers hold
both kinds.
"""

from bisect import bisect_left
from collections.abc import Callable
from functools import reduce
from typing import Final, NamedTuple

from app.domain.joblog.cargo_test_log import CargoTestLog
from app.domain.joblog.ctest_log import CtestLog
from app.domain.joblog.go_test_log import GoTestLog
from app.domain.joblog.gtest_log import GtestLog
from app.domain.joblog.jest_log import JestLog
from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.nextest_log import NextestLog
from app.domain.joblog.process_death import NEXT_STEP
from app.domain.joblog.pytest_log import PytestLog
from app.domain.joblog.run_reader import RunCounts, RunReader, ToldFailure
from app.domain.joblog.unittest_log import UnittestLog
from app.domain.joblog.vitest_log import VitestLog

MAX_RUNS: Final = 10_000

_NO_LINE: Final = LogLine(0, "")


class _Sign(NamedTuple):
    """How a reader's output begins: a line's first characters, or words anywhere in it."""

    reader: Callable[[], RunReader]
    starts: tuple[str, ...]
    words: tuple[str, ...] = ()


_SIGNS: Final = (
    _Sign(UnittestLog, ("=" * 70, "Ran "), (" ... ",)),
    _Sign(GtestLog, ("[ RUN ", "[  FAILED  ]", "[  PASSED  ]", "[=====", "[-----")),
    _Sign(CtestLog, ("Test project ",), ("Test ",)),
    _Sign(
        GoTestLog,
        ("=== ", "ok  \t", "?   \t", "panic: ", "fatal error: ", "WARNING: DATA RACE", "# ", "DONE ", '{"'),
        ("--- FAIL", "FAIL\t", "  FAIL ", "##[group]FAIL", "##[group]PASS", "PASS "),
    ),
    _Sign(CargoTestLog, (), ("unning ", "Doc-tests ")),
    _Sign(NextestLog, (), (" across ",)),
    _Sign(JestLog, ("FAIL ", "PASS ", " FAIL  ", " PASS  ", " LOGGING RETRY ")),
    _Sign(VitestLog, (), ("RUN  v", "DEV  v")),
)
_HEAD: Final = 2


class _Run(NamedTuple):
    """The numbers of its lines; `has_ended`: it came to its end by itself, not with its step."""

    first: int
    last: int
    has_ended: bool


class RunsOfLog:
    """Takes a log's clean lines in order.

    Most logs are of one runner or two, so a reader is fed only from the line before the first one on that may
    begin its output.
    """

    def __init__(self) -> None:
        self.pytest = PytestLog()
        self.printed = 0
        self._readers: list[RunReader] = [self.pytest]
        self._began: list[int] = [0]
        self.in_run = False
        self._idle = list(_SIGNS)
        self._expect()
        self._above = _NO_LINE
        self._runs: list[list[_Run]] = [[]]

    @property
    def cut(self) -> bool:
        return any(reader.cut for reader in self._readers)

    def feed(self, line: LogLine) -> None:
        text = line.text
        if text[:_HEAD] in self._heads:
            self._wake(line)
        else:
            for word in self._words:
                if word in text:
                    self._wake(line)
                    break
        for at, reader in enumerate(self._readers):
            reader.feed(line)
            if reader.in_run is not (self._began[at] > 0):
                self._follow(at, line)
        self._above = line

    def failures(self) -> tuple[ToldFailure, ...]:
        """All readers' failures in the log's order; call it once, after the last line."""
        told = []
        for at, reader in enumerate(self._readers):
            for failure in reader.failures():
                if self._is_printed(at, failure.line):
                    self.printed += 1
                else:
                    told.append(failure)
        self.printed += self.pytest.printed
        return tuple(sorted(told, key=lambda failure: failure.line))

    @property
    def counts(self) -> RunCounts | None:
        counted = [
            reader.counts
            for at, reader in enumerate(self._readers)
            if reader.counts is not None and not self._had_run_inside(at)
        ]
        return reduce(RunCounts.__add__, counted) if counted else None

    def _expect(self) -> None:
        self._heads = frozenset(start[:_HEAD] for sign in self._idle for start in sign.starts)
        self._words = tuple(word for sign in self._idle for word in sign.words)

    def _wake(self, line: LogLine) -> None:
        text = line.text
        woken = [
            one for one in self._idle if text.startswith(one.starts) or any(w in text for w in one.words)
        ]
        for sign in woken:
            self._idle.remove(sign)
            reader = sign.reader()
            reader.feed(self._above)
            self._readers.append(reader)
            self._began.append(0)
            self._runs.append([])
        self._expect()

    def _follow(self, at: int, line: LogLine) -> None:
        """A run began, or came to its end: by itself, or because its step did."""
        first, self._began[at] = self._began[at], line.number
        if first:
            self._began[at] = 0
            has_ended = not line.text.startswith(NEXT_STEP)
            if len(self._runs[at]) < MAX_RUNS:
                self._runs[at].append(_Run(first, line.number, has_ended))
        self.in_run = any(self._began)

    def _is_printed(self, at: int, number: int) -> bool:
        own = _last_before(self._runs[at], number + 1)
        began = own.first if own is not None and number <= own.last else number
        others = [_last_before(runs, began) for other, runs in enumerate(self._runs) if other != at]
        return any(run is not None and run.has_ended and number < run.last for run in others)

    def _had_run_inside(self, at: int) -> bool:
        return any(self._is_printed(at, run.last) for run in self._runs[at])


def _last_before(runs: list[_Run], number: int) -> _Run | None:
    """The last run that began before the line; a reader's runs follow one another."""
    at = bisect_left(runs, number, key=lambda run: run.first)
    return runs[at - 1] if at else None
