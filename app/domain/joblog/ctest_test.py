"""One test of a run of ctest: its attempts, and what it printed."""

import re
from typing import Final

from app.domain.bounded_text import BoundedText
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

MAX_ATTEMPTS: Final = 20
"""Earlier attempts of one test that are kept."""

_DURATION: Final = re.compile(r" {1,10}\d{1,9}\.\d{1,9} sec\b.{0,100}$")
_NOT_RUN: Final = "Not Run"


def read_reason(status: str) -> str | None:
    """What ctest says went wrong behind the dots of a result line; None if nothing did.

    `***Failed`, `Subprocess aborted***Exception:`, `***Not Run` (the program is missing) are failures,
    `***Skipped` and `***Not Run (Disabled)` are none.
    """
    before, stars, after = status.lstrip(".").partition("***")
    duration = _DURATION.search(after)
    word = (after[: duration.start()] if duration else after).strip().rstrip(":")
    if not stars or word.startswith("Skipped") or "(Disabled)" in word:
        return None
    return f"{before.strip()} {word}".strip()


class CtestTest:
    """Takes its result lines, and the lines of its output, in order."""

    def __init__(self, name: str, line: int) -> None:
        self.name = name
        self.number = line
        self.reason: str | None = None
        self._text = BoundedText()
        self._earlier: list[Outcome] = []

    def add(self, text: str) -> None:
        self._text.add(text + "\n")

    def begin_again(self) -> None:
        """What went wrong so far was an earlier attempt (--repeat)."""
        if self.reason is not None and len(self._earlier) < MAX_ATTEMPTS:
            self._earlier.append(self._outcome(self.reason))
        self.reason = None
        self._text = BoundedText()

    def fail(self, reason: str, line: int) -> None:
        self.reason = reason
        if not self._earlier:
            self.number = line

    def _outcome(self, reason: str) -> Outcome:
        kind = Errored if reason.startswith(_NOT_RUN) else Failed
        return kind(reason, str(self._text).strip("\n"), self._text.cut)

    def result(self, reason: str) -> Result:
        """Named as ctest's own results file names it: the class is the test once more."""
        return Result(
            TestId("", "", self.name, self.name), self._outcome(reason), earlier=tuple(self._earlier)
        )
