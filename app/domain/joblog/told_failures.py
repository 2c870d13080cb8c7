"""The failed tests that one runner's output names: one a test, however often the log tells of it."""

from collections import Counter
from typing import Final

from app.domain.bounded_text import bounded
from app.domain.joblog.run_reader import ToldFailure
from app.domain.outcome import Errored, Failed, Outcome, Result, TestId

MAX_TOLD: Final = 20_000
MAX_JOINED: Final = 100
"""Failures of one test whose texts are joined; of further ones only the kind counts."""


class ToldFailures:
    """Takes failures in any order and gives them in the order of the lines that name them first.

    A test that failed in two runs of one log is one failure with both texts; that it passed in a later run
    takes nothing away.
    """

    def __init__(self) -> None:
        self.cut = False
        self._told: dict[TestId, ToldFailure] = {}
        self._joined: Counter[TestId] = Counter()

    def __contains__(self, test: TestId) -> bool:
        return test in self._told

    def add(self, result: Result, printed: str, line: int) -> None:
        test = result.test
        known = self._told.get(test)
        if known is not None:
            self._joined[test] += 1
            joined = _join_results(known.result, result, texts=self._joined[test] < MAX_JOINED)
            self._told[test] = known._replace(result=joined, line=min(line, known.line))
        elif len(self._told) < MAX_TOLD:
            self._told[test] = ToldFailure(result, printed, line)
        else:
            self.cut = True

    def in_order(self) -> tuple[ToldFailure, ...]:
        return tuple(sorted(self._told.values(), key=lambda told: told.line))


def _join_results(known: Result, again: Result, *, texts: bool) -> Result:
    place = again if known.path is None else known
    return known._replace(
        outcome=_join(known.outcome, again.outcome, texts=texts),
        path=place.path,
        line=place.line,
        earlier=known.earlier + again.earlier if texts else known.earlier,
    )


def _join(known: Outcome, again: Outcome, *, texts: bool) -> Outcome:
    """The worse kind; each text once, for a log often shows one failure twice. A message stands for a text
    that the log does not show.
    """
    assert isinstance(known, Failed | Errored)  # only failures are told
    assert isinstance(again, Failed | Errored)
    kind = Errored if isinstance(again, Errored) else type(known)
    first = known.text or known.message
    second = again.text or ("" if again.message == known.message else again.message)
    if not texts or second in first:
        return kind(known.message or again.message, known.text, known.cut)
    text, cut = bounded(f"{first}\n\n{second}" if first else second)
    return kind(known.message or again.message, text, cut or known.cut or again.cut)
