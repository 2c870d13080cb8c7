"""What Go prints when a test binary panics or runs out of time: the words, and the tests that stacks name."""

import re
from typing import Final

from app.domain.bounded_text import BoundedText

MAX_NAMES: Final = 100
BEGINNINGS: Final = ("panic: ", "fatal error: ", "runtime: goroutine stack exceeds")

_TIME_OUT: Final = "panic: test timed out after "
_RUNNING: Final = re.compile(r"\t((?:Test|Fuzz|Example|Benchmark)\S{0,1000}) \(\S{1,30}\)$")
_FRAME: Final = re.compile(
    r"(?P<made>created by )?\S{1,500}?\.(?P<test>(?:Test(?!Main\b)|Fuzz|Example|Benchmark)\w{0,300})"
    r"(?:\.\w{1,60}){0,5}(?:\(|$| in goroutine )"
)


class GoDump:
    """Takes the lines from the first of BEGINNINGS on."""

    def __init__(self, words: str) -> None:
        self.words = words
        self._text = BoundedText()
        self._goroutines = 0
        self._listed: list[str] = []
        self._first: list[str] = []
        self._all: list[str] = []

    @property
    def text(self) -> str:
        return str(self._text).strip("\n")

    @property
    def cut(self) -> bool:
        return self._text.cut

    def add(self, line: str) -> None:
        self._text.add(line + "\n")
        if line.startswith("goroutine "):
            self._goroutines += 1
        elif running := _RUNNING.match(line):
            _keep(self._listed, running.group(1))
        elif frame := _FRAME.match(line):
            if not frame["made"]:
                _keep(self._all, frame["test"])
            if self._goroutines <= 1:
                _keep(self._first, frame["test"])

    def tests(self) -> list[str]:
        """The tests at fault, as far as the dump says it: those of the list `running tests:`; else, of a
        panic, the outermost of the first stack, which is the one that panicked. Before there was that list,
        a time-out is the fault of a test only where the stacks name no other.
        """
        if self._listed:
            return self._listed
        if self.words.startswith(_TIME_OUT):
            return self._all if len(self._all) == 1 else []
        return self._first[-1:]


def _keep(names: list[str], name: str) -> None:
    if name not in names and len(names) < MAX_NAMES:
        names.append(name)
