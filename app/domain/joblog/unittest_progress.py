"""The lines that unittest prints with -v while it runs: which test began, and which red word it ended with.

`test_x (mod.Class) ... FAIL` on one line is a failure, unless a good word follows alone on a line: then the
test itself printed the first. Red words alone on a line are not believed, for tests print them; the headers
after the run tell. A test without a result crashed only if the log says next that a process died, and no
result follows: then the dead process was unittest's own, not a child of the test.
"""

import re
from typing import Final, NamedTuple

from app.domain.bounded_text import BoundedText
from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.process_death import NEXT_STEP, tells_death
from app.domain.joblog.run_reader import ToldFailure
from app.domain.joblog.told_failures import MAX_TOLD
from app.domain.joblog.unittest_names import read_test
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

UNEXPECTED_SUCCESS: Final = "Unexpected success"

_TEST: Final = r" {0,4}(?P<test>\w{1,500} \([A-Za-z_][\w.]{0,1000}\)(?: [\[(].{0,1000}?)?)"
_OPENING: Final = re.compile(_TEST + r" \.\.\. ")
_NAME: Final = re.compile(_TEST + "$")
DOTS: Final = " ... "
_RESULT: Final = re.compile(
    r"(?:(?P<red>FAIL|ERROR|unexpected success)|ok|skip.{0,2000}|expected failure)"
    r"(?: \(\d{1,9}\.\d{1,9}s\))?$"
)
_RED: Final[dict[str, Outcome]] = {
    "FAIL": Failed("", ""),
    "ERROR": Errored("", ""),
    "unexpected success": Failed(UNEXPECTED_SUCCESS, ""),
}
BARE: Final = (_RED["FAIL"], _RED["ERROR"])
"""Outcomes of which nothing but the word is known."""


class _Opened(NamedTuple):
    test: TestId
    printed: str
    line: int


class Progress:
    """Takes the lines outside of headers and their texts."""

    def __init__(self) -> None:
        self.cut = False
        self.in_run = False
        self.told: list[ToldFailure] = []
        self._opened: _Opened | None = None
        self._red: Outcome | None = None
        self._crash: BoundedText | None = None
        self._crash_words = ""

    @property
    def in_test(self) -> bool:
        """Whether every line is needed; else those with DOTS are."""
        return self._opened is not None

    def feed(self, line: LogLine, above: LogLine) -> None:
        """`above`: the line before, which has the name where this one begins with the docstring's first."""
        text = line.text
        at = 0
        while opening := _OPENING.match(text, at):  # before Python 3.11 two share a line if subtests failed
            at = opening.end()
            self._open(opening["test"], line.number)
        if not at and DOTS in text and (name := _NAME.match(above.text)):
            self._open(name["test"], above.number)
            at = text.rindex(DOTS) + len(DOTS)
        if at:
            self._read_rest(text[at:])
        elif self._opened is not None:
            self._follow(text)

    def end_test(self, *, alive: bool) -> None:
        """`alive`: the process came further, so that it was not the one that died."""
        if self._opened is not None and self._red is not None:
            self._tell(self._opened, self._red)
        elif self._opened is not None and self._crash is not None and not alive:
            self._tell(
                self._opened, Errored(self._crash_words, str(self._crash).strip("\n"), self._crash.cut)
            )
        self._opened = self._red = self._crash = None

    def _tell(self, opened: _Opened, outcome: Outcome) -> None:
        if len(self.told) < MAX_TOLD:
            self.told.append(ToldFailure(Result(opened.test, outcome), opened.printed, opened.line))
        else:
            self.cut = True

    def _open(self, printed: str, number: int) -> None:
        self.end_test(alive=False)  # another test may begin in a new process
        test = read_test(printed)
        assert test is not None  # an opening has the form of a name
        self._opened = _Opened(test, printed, number)

    def _read_rest(self, text: str) -> None:
        """What stands behind the dots: the result, or what the test prints."""
        self.in_run = True
        result = _RESULT.match(text)
        if result is None:
            self._look_for_death(text)
        elif result["red"]:
            self._red = _RED[result["red"]]
        else:
            self.end_test(alive=True)

    def _follow(self, text: str) -> None:
        if result := _RESULT.match(text):
            if not result["red"]:
                self._red = None
            self.end_test(alive=True)
        else:
            self._look_for_death(text)
            if text.startswith(NEXT_STEP):
                self.end_test(alive=False)

    def _look_for_death(self, text: str) -> None:
        if self._crash is None and tells_death(text):
            self._crash, self._crash_words = BoundedText(), text
        if self._crash is not None:
            self._crash.add(text + "\n")
