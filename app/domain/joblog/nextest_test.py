"""The attempts of one test in a run of cargo-nextest, as its statuses tell them."""

from typing import Final

from app.domain.joblog.nextest_status import NextestStatus, Verdict
from app.domain.joblog.rust_failure import RustFailure
from app.domain.outcome import Errored, Failed, Outcome, Passed, Result, TestId

MAX_ATTEMPTS: Final = 100
_NOT_STARTED: Final = "XFAIL"
_FLAKY_FAILED: Final = "passed in a later attempt, and is configured to fail if flaky"


class NextestTest:
    """Takes its statuses in order. nextest tells failures once more at the end: no further attempts."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._attempts: list[tuple[int, str, RustFailure]] = []
        self._verdict = Verdict.FAILED

    def read(self, status: NextestStatus, number: int) -> RustFailure | None:
        """Give what takes the lines below the status: nothing if they are known or of no failure."""
        self._verdict = status.verdict
        if status.verdict is not Verdict.FAILED:
            return None
        attempt = status.attempt or 1
        known = next((shown for of, _, shown in self._attempts if of == attempt), None)
        if known is not None:
            return None if known.text else known
        if len(self._attempts) >= MAX_ATTEMPTS:
            self._attempts.pop(0)
        shown = RustFailure(number)
        self._attempts.append((attempt, status.word, shown))
        return shown

    def result(self, test: TestId) -> Result | None:
        """None if a later attempt passed, and that counts."""
        if self._verdict in (Verdict.FLAKY, Verdict.PASSED):
            return None
        attempts = [_outcome(word, shown) for _, word, shown in self._attempts]
        last = self._attempts[-1][2] if self._attempts else RustFailure(self.number)
        if self._verdict is Verdict.FLAKY_FAILED:
            attempts += [Passed(), Failed(_FLAKY_FAILED, last.text, last.cut)]
        *earlier, outcome = attempts
        return Result(test, outcome, path=last.path, line=last.line, earlier=tuple(earlier))


def _outcome(word: str, shown: RustFailure) -> Outcome:
    kind = Errored if word == _NOT_STARTED else Failed
    return kind(shown.told or f"nextest says {word}", shown.text, shown.cut)
