"""What unittest prints below the header of a failed test: its text, the exception, the place."""

import re
from typing import Final

from app.domain.bounded_text import BoundedText

RULE: Final = "=" * 70
DASHES: Final = "-" * 70
MAX_MESSAGE_LINES: Final = 50

_TRACEBACK: Final = "Traceback (most recent call last):"
_FRAME: Final = re.compile(
    r'  File "(?P<path>[^"]{1,500})", line (?P<line>\d{1,7}), in (?P<function>\S{1,300})'
)
_BUFFERED: Final = ("Stdout:", "Stderr:")


class Section:
    """Takes the lines below a header in order. `path` and `line`: the last frame of the test's own method."""

    def __init__(self, method: str) -> None:
        self.path: str | None = None
        self.line: int | None = None
        self._method = method
        self._text = BoundedText()
        self._message: list[str] = []
        self._in_description = True
        self._in_frames = False
        self._in_output = False

    @property
    def text(self) -> str:
        return str(self._text).strip("\n")

    @property
    def cut(self) -> bool:
        return self._text.cut

    @property
    def message(self) -> str:
        """What the exception says: the last one of a chain."""
        return "\n".join(self._message).strip()

    def add(self, line: str) -> None:
        if line == DASHES:  # also stands above the line that counts the tests
            self._in_description = False
            return
        if self._in_description:
            return  # the first line of the test's docstring
        self._text.add(line + "\n")
        if self._in_output or line in _BUFFERED:
            self._in_output = True  # printed by the test, and may hold tracebacks of its own
        elif line == _TRACEBACK:
            self._message, self._in_frames = [], True
        elif self._in_frames and line.startswith("  "):
            self._follow(line)
        elif len(self._message) < MAX_MESSAGE_LINES:
            self._in_frames = False
            self._message.append(line)

    def _follow(self, line: str) -> None:
        frame = _FRAME.match(line)
        if frame is not None and frame["function"] == self._method:
            self.path, self.line = frame["path"], int(frame["line"])
