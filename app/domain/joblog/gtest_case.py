"""What googletest prints while one test, or what surrounds the tests of a suite, runs."""

import re
from typing import Final

from app.domain.bounded_text import BoundedText

MAX_MESSAGE_LINES: Final = 50

_FAILURE: Final = re.compile(
    r"(?:(?P<path>(?:[A-Za-z]:)?[^\s:()]{1,500}):(?P<line>\d{1,9}): Failure"
    r"|(?P<windows_path>(?:[A-Za-z]:)?[^\s:()]{1,500})\((?P<windows_line>\d{1,9})\): error: (?P<first>.*))$"
)
_FAILURE_END: Final = ": Failure"
"""Ends the line of a failure also where the place is unknown, or glued to what the test printed."""


class Case:
    """Takes the lines in order. The message and the place are those of the first failed assertion."""

    def __init__(self, printed: str, line: int) -> None:
        self.printed = printed
        self.mark = f"] {printed}"
        self.number = line
        self.has_failure = False
        self.path: str | None = None
        self.line: int | None = None
        self._text = BoundedText()
        self._message: list[str] = []
        self._in_message = False

    @property
    def text(self) -> str:
        return str(self._text).strip("\n")

    @property
    def cut(self) -> bool:
        return self._text.cut

    @property
    def message(self) -> str:
        return "\n".join(self._message).strip()

    def add(self, text: str) -> None:
        self._text.add(text + "\n")
        failure = _FAILURE.match(text)
        if failure is not None or text.endswith(_FAILURE_END):
            self._in_message = not self.has_failure
            if failure is not None and not self.has_failure:
                self._locate(failure)
            self.has_failure = True
        elif self._in_message and len(self._message) < MAX_MESSAGE_LINES:
            self._message.append(text)

    def _locate(self, failure: re.Match[str]) -> None:
        self.path = failure["path"] or failure["windows_path"]
        self.line = int(failure["line"] or failure["windows_line"])
        if failure["first"]:
            self._message.append(failure["first"])
