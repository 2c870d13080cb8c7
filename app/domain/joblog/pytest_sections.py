"""The sections of pytest's terminal report: one entry a failure, with its header, phase and text."""

import re
from typing import Final

from app.domain.bounded_text import BoundedText
from app.domain.joblog.log_lines import LogLine
from app.domain.pytest_node import domain_of

MAX_ENTRIES: Final = 20_000
MAX_MESSAGE_LINES: Final = 50
CRASH_LINES: Final = 3
"""xdist says within so many lines of a section that its worker crashed."""
MIN_WIDTH: Final = 60
"""Titles are as wide as the terminal, 80 where there is none; other programs print shorter ones."""
WIDTH_SLACK: Final = 8
"""Columns by which a header may differ from its section's title: characters may have been masked."""

SUMMARY: Final = "short test summary info"
_FAILURES: Final = frozenset({"FAILURES", "ERRORS"})
_PHASE: Final = re.compile(r"ERROR (?:at (setup|teardown) of|(collect)ing) (.{1,2000})$")
_CRASH: Final = re.compile(r"worker '[^']{1,50}' crashed while running '(.{1,2000})'$")
_LOCATION: Final = re.compile(r"([^\s:>|][^:]{0,300}\.py):\d{1,7}: ")
_NOT_TEXT: Final = re.compile(r"-{2,80} ?(?:generated |coverage: )")
_CAPTURED: Final = re.compile(r"-{2,80} Captured ")


class Entry:
    """One failure of a section; its summary line is found by `key`, and `phase` is pytest's `when`."""

    def __init__(self, title: str, number: int) -> None:
        self.number = number
        phase = _PHASE.match(title)
        self.phase = (phase.group(1) or phase.group(2)) if phase else "call"
        self.key = phase.group(3) if phase else title
        self.node: str | None = None
        self.path: str | None = None
        self._text = BoundedText()
        self._lines = 0
        self._error: list[str] = []
        self._in_error = False
        self._captured = False

    @property
    def reported_phase(self) -> str:
        """The phase in pytest's JUnit file, which puts a crashed worker under setup."""
        return "setup" if self.node is not None else self.phase

    @property
    def text(self) -> str:
        return str(self._text).strip("\n")

    @property
    def cut(self) -> bool:
        return self._text.cut

    @property
    def message(self) -> str:
        """What the exception says: the last block of lines marked E, which ends a chain of exceptions."""
        if not self._error:
            return ""
        indent = len(self._error[0]) - len(self._error[0].lstrip())
        return "\n".join(
            line[indent:] if line[:indent].isspace() else line.lstrip() for line in self._error
        ).strip()

    def add(self, line: str) -> None:
        self._text.add(line + "\n")
        self._lines += 1
        if self._captured or _CAPTURED.match(line):
            self._captured = True
            return
        self._follow_error(line)
        if self.path is None and (location := _LOCATION.match(line)):
            self.path = location.group(1)
        if self._lines <= CRASH_LINES and (crash := _CRASH.match(line)):
            self.node = crash.group(1)
            self.key = domain_of(self.node)
            self._error = [line]

    def _follow_error(self, line: str) -> None:
        is_error = line.startswith("E   ") or line == "E"
        if is_error and not self._in_error:
            self._error = []
        self._in_error = is_error
        if is_error and len(self._error) < MAX_MESSAGE_LINES:
            self._error.append(line[1:])


class SectionReader:
    """Takes a report's lines in order and keeps the entries of its sections FAILURES and ERRORS.

    Other sections are left out: what RERUNS shows has been tried again, and captured output is no failure.
    """

    def __init__(self) -> None:
        self.cut = False
        self._section = ""
        self._width = 0
        self._entry: Entry | None = None
        self.entries: list[Entry] = []

    @property
    def in_summary(self) -> bool:
        return self._section == SUMMARY

    @property
    def is_before_first(self) -> bool:
        return not self._section

    def feed(self, line: LogLine) -> None:
        text = line.text
        if text[:3] == "===" and (section := _section_title(text)):
            self._section, self._width = section, len(text)
            self._entry = None
        elif self._section in _FAILURES:
            self._feed_failures(line)

    def feed_printed(self, text: str) -> None:
        """Take a line as text, whatever it looks like."""
        if self._entry is not None:
            self._entry.add(text)

    def _feed_failures(self, line: LogLine) -> None:
        title = _entry_title(line.text, self._width)
        if title:
            self._open(title, line.number)
        elif _NOT_TEXT.match(line.text):
            self._entry = None
        else:
            self.feed_printed(line.text)

    def _open(self, title: str, number: int) -> None:
        if len(self.entries) >= MAX_ENTRIES:
            self.cut = True
            self._entry = None
            return
        self._entry = Entry(title, number)
        self.entries.append(self._entry)


def _section_title(line: str) -> str:
    if len(line) < MIN_WIDTH or not line.endswith("==="):
        return ""
    return line.strip("=").strip()


def _entry_title(line: str, width: int) -> str:
    """The name in `____ name ____`, which is about as wide as its section's title.

    A name too long for that has one underscore a side; the separator `_ _ _` between frames has no name.
    """
    if not (line.startswith("_") and line.endswith("_")) or len(line) < width - WIDTH_SLACK:
        return ""
    title = line.strip("_")
    if not title.strip("_ ") or not (title.startswith(" ") and title.endswith(" ")):
        return ""
    return title.strip() if len(line) <= width + WIDTH_SLACK or line.startswith("_ ") else ""
