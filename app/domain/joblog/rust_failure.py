"""What a failed Rust test shows: its text, the place of its panic, and the panic's own words.

The line `thread 'a' (4711) panicked at src/a.rs:3:9:` holds a thread's number, which differs in each run, so
the message is what follows it. Before Rust 1.73 the words stood in that line, in quotes, before the place.
"""

import re
from typing import Final

from app.domain.bounded_text import BoundedText

_PANIC: Final = re.compile(r"thread '[^']{0,1000}' (?:\(\d{1,20}\) )?panicked at ")
_PLACE: Final = re.compile(
    r"(?:panicked at |panic as expected at |', )"
    r"(?P<path>(?:[A-Za-z]:)?[^\s:']{1,500}):(?P<line>\d{1,9}):\d{1,9}:?$"
)
_NOTE: Final = re.compile(
    r"note: (?P<words>test did not panic as expected|panic did not contain expected string)"
)
_ENDED: Final = re.compile(
    r"\((?P<words>test (?:failed with exit code -?\d{1,10}|aborted with .{1,200}|timed out))\)$"
)
"""nextest's own line below what the test printed."""


class RustFailure:
    """Takes the lines below a failed test's name in order; `number` is the line that names it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.path: str | None = None
        self.line: int | None = None
        self._text = BoundedText()
        self._first = self._panicked = self._noted = self._error = ""
        self._is_panic_next = False

    @property
    def text(self) -> str:
        return str(self._text).strip("\n")

    @property
    def cut(self) -> bool:
        return self._text.cut

    @property
    def told(self) -> str:
        """What the harness or the panic says of the failure; a test that only printed has nothing told."""
        return self._noted or self._panicked or self._error

    @property
    def message(self) -> str:
        return self.told or self._first

    def add(self, text: str) -> None:
        self._text.add(text + "\n")
        words = text.strip()
        self._first = self._first or words
        if self._is_panic_next and words:
            self._panicked, self._is_panic_next = words, False
        if "panic" in words:
            self._add_panic(words)
        elif words.startswith("', ") and self.path is None:
            self._set_place(words)
        elif words.startswith("Error: "):
            self._error = self._error or words
        elif words.startswith("(test ") and (ended := _ENDED.match(words)):
            self._noted = self._noted or ended["words"]

    def _add_panic(self, words: str) -> None:
        if panic := _PANIC.match(words):
            rest = words[panic.end() :]
            if not self._panicked and rest.startswith("'"):
                self._panicked = _unquoted(rest)
            elif not self._panicked:
                self._is_panic_next = True
        elif note := _NOTE.match(words):
            self._noted = note["words"]
        if self.path is None:
            self._set_place(words)

    def _set_place(self, words: str) -> None:
        if found := _PLACE.search(words):
            self.path, self.line = found["path"], int(found["line"])


def _unquoted(rest: str) -> str:
    """The words of a panic in the old spelling, whose last line ends with the place."""
    words, quote, _ = rest[1:].rpartition("', ")
    return words if quote else rest[1:]
