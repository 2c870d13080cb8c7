"""What a runner shows of one failed test below its name: text, first words and place."""

import re

from app.domain.bounded_text import BoundedText


class ShownFailure:
    """Takes the lines in order. `place` finds `path` and `line` in one of them; the first counts."""

    def __init__(self, number: int, place: re.Pattern[str]) -> None:
        self.number = number
        self.message = ""
        self.path: str | None = None
        self.line: int | None = None
        self._place = place
        self._text = BoundedText()

    @property
    def text(self) -> str:
        return str(self._text).strip("\n")

    @property
    def cut(self) -> bool:
        return self._text.cut

    def add(self, text: str) -> None:
        self._text.add(text + "\n")
        self.message = self.message or text.strip()
        if self.path is None and (found := self._place.search(text)):
            self.path, self.line = found["path"], int(found["line"])
