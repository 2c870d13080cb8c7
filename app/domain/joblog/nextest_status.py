"""One status line of cargo-nextest: `  TRY 2 FAIL [   0.004s] (1/3) crate::binary module::test`.

The status ends at the twelfth column, longer ones stand at the margin. What a test printed is indented, so a
status that stands elsewhere was printed. Any status of an attempt that is neither a pass nor news of one that
still runs is a failure: nextest shortens the names of signals there (`TRY 1 SEGV`).
"""

import re
from enum import Enum, auto
from typing import Final, NamedTuple, Self

_COLUMN: Final = 12
_LONGEST: Final = 20
_STATUS: Final = re.compile(
    r" {0,11}(?:TRY (?P<attempt>\d{1,4}) )?(?P<word>[A-Z][A-Z0-9+/ -]{1,12}) "
    r"\[[> ]{0,14}(?:\d{1,9}\.\d{1,6}s)?\] "
    r"(?:\[(?P<stress>\d{1,9})(?:/\d{1,9})?\] )?(?:\((?: {0,9}\d{1,9}/\d{1,9}|\u2500{1,20})\) )?"
    r"(?P<binary>\S{1,300}) (?P<name>\S.{0,1000})$"
)
_FAILED: Final = re.compile(
    r"FAIL(?: \+ LEAK)?|FL\+LK|XFAIL|LEAK-FAIL|LKFAIL|TIMEOUT|TMT|(?:ABORT )?SIG ?[A-Z0-9]{1,8}|ABORT"
)
_PASSED: Final = ("PASS", "LEAK", "TMPASS", "TIMEOUT-PASS")
_NEWS: Final = ("SLOW", "TERMINATING", "TRMNTG", "START", "RETRY", "DELAY")


class Verdict(Enum):
    PASSED = auto()
    FAILED = auto()
    FLAKY = auto()
    """Passed after it failed."""
    FLAKY_FAILED = auto()
    """Passed after it failed, and is configured to count as failed then."""
    NONE = auto()


class NextestStatus(NamedTuple):
    """`attempt` is None where a test is tried once; `stress` tells the rounds of a stress run apart."""

    word: str
    attempt: int | None
    binary: str
    name: str
    stress: str

    @classmethod
    def of(cls, text: str) -> Self | None:
        end = text.find(" [", 0, _LONGEST)
        if end < 0 or (end != _COLUMN and text[0] == " "):
            return None
        status = _STATUS.match(text)
        if status is None:
            return None
        attempt = int(status["attempt"]) if status["attempt"] else None
        return cls(status["word"], attempt, status["binary"], status["name"], status["stress"] or "")

    @property
    def verdict(self) -> Verdict:
        if self.word.startswith("FLAKY "):
            return Verdict.FLAKY
        if self.word.startswith("FLKY-FL "):
            return Verdict.FLAKY_FAILED
        if self.word in _PASSED:
            return Verdict.PASSED
        if self.word.startswith(_NEWS) or (self.attempt is None and not _FAILED.fullmatch(self.word)):
            return Verdict.NONE
        return Verdict.FAILED
