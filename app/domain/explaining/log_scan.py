"""One pass through a log: every telling line, the steps they stand in, and the test that ran last."""

from collections import deque
from dataclasses import dataclass
from typing import Final

from app.domain.explaining.hearing import hear, may_tell
from app.domain.explaining.running_test import RunningTest
from app.domain.explaining.saying import Saying
from app.domain.joblog.log_lines import LogLine

MOST_FIRST: Final = 5_000
MOST_LAST: Final = 5_000
"""Telling lines that are kept from a log's beginning and from its end."""

_STEP: Final = "##[group]Run "
_SUMMARY: Final = ("FAILED ", "ERROR ", "SUBFAILED", "SUBFAIL ")


@dataclass(frozen=True, slots=True)
class Scan:
    """`running` is the test that had begun and not ended when the telling lines of its step were over.

    `sources` gives for a telling line the number and text of the line to quote in its place: a stack dump is
    best told by the statement of the test.
    """

    sayings: tuple[Saying, ...]
    running: str | None
    quoted: LogLine | None
    lines: int


class LogScan:
    """Takes a log's clean lines in order."""

    def __init__(self) -> None:
        self._first: list[Saying] = []
        self._last: deque[Saying] = deque(maxlen=MOST_LAST)
        self._running = RunningTest()
        self._step = 0
        self._was_marked = False
        self._lines = 0
        self._quoted: LogLine | None = None

    def feed(self, line: LogLine) -> None:
        text = line.text
        self._lines = line.number
        if text.startswith(_STEP):
            self._step += 1
        if line.number == self._running.frame_line:
            self._quoted = line
        self._running.feed(line.number, text)
        is_marked = text.startswith("E  ")
        if (is_marked or may_tell(text)) and not text.startswith(_SUMMARY):
            saying = hear(line, step=self._step, goes_on=self._was_marked)
            if saying is not None:
                self._keep(saying)
        self._was_marked = is_marked

    def _keep(self, saying: Saying) -> None:
        if len(self._first) < MOST_FIRST:
            self._first.append(saying)
        else:
            self._last.append(saying)

    def scan(self) -> Scan:
        return Scan((*self._first, *self._last), self._running.node, self._quoted, self._lines)
