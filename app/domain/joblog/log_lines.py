"""Clean lines of a GitHub job log: no byte order marks, time stamps or terminal codes, in bounded memory."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from app.domain.joblog.saved_columns import SavedColumns, has_columns

LIMIT_BYTES: Final = 64 * 1024 * 1024
LINE_BYTES: Final = 64 * 1024
"""Longer lines are minified files or binary noise; what follows is dropped and marked."""
LINE_CUT: Final = " [... rest of the line cut ...]"

_HEAD_SHARE: Final = 4
"""The head gets one part in four: set-up and checkout stand there, the failure at the end."""
_LINE_OVERHEAD: Final = 64
"""Bytes that Python needs for a line beside its text."""

_NEEDS_CLEANING: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ESCAPES: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor moves
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # operating system commands: titles, links
    r"|\x1b[ -/]?[0-~]"
)
_CONTROLS: Final = dict.fromkeys((*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0)))
_PREFIX: Final = re.compile(r"(?:\ufeff|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z(?: |$))+")
"""The runner stamps each record and opens a file with a byte order mark every few megabytes."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One clean line; `number` counts from 1 in the original, as GitHub's page does."""

    number: int
    text: str


def clean_line(text: str) -> str:
    """Take away what the runner and the terminal added. Idempotent; markers such as `##[error]` stay."""
    if _NEEDS_CLEANING.search(text):
        text = _ESCAPES.sub("", text).translate(_CONTROLS)
    prefix = _PREFIX.match(text)
    return text[prefix.end() :] if prefix else text


class LogText:
    """Iterates once over a log's clean lines; of a log over the limit, over its head and its tail.

    `cut`, `lines` (the number of lines in the original) and `columns` (of a log saved by gh, if its first
    line has them) are final when the iteration has ended.
    """

    def __init__(self, stream: BinaryIO, limit_bytes: int = LIMIT_BYTES) -> None:
        self.cut = False
        self.lines = 0
        self.columns: SavedColumns | None = None
        self._stream = stream
        self._head_bytes = limit_bytes // _HEAD_SHARE
        self._tail_bytes = limit_bytes - self._head_bytes

    def __iter__(self) -> Iterator[LogLine]:
        head_left = self._head_bytes
        tail: deque[bytes] = deque()
        tail_size = 0
        for line in _raw_lines(self._stream):
            self.lines += 1
            if self.lines == 1 and has_columns(_decoded(line)):
                self.columns = SavedColumns()
            cost = len(line) + _LINE_OVERHEAD
            if head_left >= cost:
                head_left -= cost
                yield self._to_line(self.lines, line)
                continue
            head_left = 0
            tail.append(line)
            tail_size += cost
            while tail_size > self._tail_bytes:
                tail_size -= len(tail.popleft()) + _LINE_OVERHEAD
                self.cut = True
        first = self.lines - len(tail) + 1
        while tail:
            yield self._to_line(first, tail.popleft())
            first += 1

    def _to_line(self, number: int, raw: bytes) -> LogLine:
        text = _decoded(raw)
        if self.columns is not None:
            text = self.columns.strip(number, text)
        return LogLine(number, clean_line(text))


def _raw_lines(stream: BinaryIO) -> Iterator[bytes]:
    while line := stream.readline(LINE_BYTES):
        if len(line) == LINE_BYTES and not line.endswith(b"\n") and _skip_line(stream):
            line += LINE_CUT.encode()
        yield line


def _skip_line(stream: BinaryIO) -> bool:
    """Read to the end of the line; tell whether there was more than that end."""
    was_longer = False
    while rest := stream.readline(LINE_BYTES):
        was_longer = was_longer or bool(rest.rstrip(b"\r\n"))
        if rest.endswith(b"\n"):
            break
    return was_longer


def _decoded(raw: bytes) -> str:
    return raw.rstrip(b"\r\n").decode("utf-8", "replace")
