"""One test reported several times in one file: what may be believed of it, and what is said about it.

A repeated record is no retry that passed unless the file proves it. pytest writes two records where the
call fails and the teardown errors, and (with pytest-rerunfailures from 16.6.1 on) a bare record for each
earlier attempt, whose outcome, a failure, it does not tell. gotestsum repeats the tests that it ran again, in
a file like any other of Go's; `go test -count` repeats those that passed as well, which tells them apart.
"""

from collections import Counter
from collections.abc import Sequence
from operator import is_not
from typing import Final

from app.domain.bounded_text import bounded
from app.domain.outcome import Errored, Failed, Outcome, OutcomeKind, Result, TestId
from app.domain.results.results_file import MAX_TESTS

MAX_MERGED: Final = 100
"""Records of one test whose texts are joined; further ones change its outcome only to a worse one."""
_NAMED: Final = 20
"""Tests that the problems name; the rest are counted."""
_LABEL: Final = 200

_WORSE: Final = {OutcomeKind.PASSED: 0, OutcomeKind.SKIPPED: 1, OutcomeKind.FAILED: 2, OutcomeKind.ERRORED: 3}


class ResultLedger:
    """Collects the records of one file or log; holds one result a test, in order of first appearance."""

    def __init__(self, limit: int = MAX_TESTS) -> None:
        self._limit = limit
        self._results: dict[TestId, Result] = {}
        self._repeats: Counter[TestId] = Counter()
        self._hidden: set[TestId] = set()
        self._differing: set[TestId] = set()
        self._attempts: dict[TestId, list[Outcome]] = {}
        self._counted_runs: set[str] = set()
        self._rerun: set[TestId] = set()
        self._left_out = 0

    def add(self, result: Result, *, pytest: bool, go: bool = False) -> None:
        """`pytest`, `go`: the record is theirs, so their known reasons for repeating a test apply."""
        results, test = self._results, result.test
        known = results.setdefault(test, result)
        if known is not result:
            self._add_again(known, result, pytest=pytest, go=go)
        elif len(results) > self._limit:
            del results[test]
            self._left_out += 1

    def add_all(
        self, tests: Sequence[TestId], results: Sequence[Result], *, pytest: bool, go: bool = False
    ) -> None:
        """What `add` does, for many at once; `tests` are those of the results."""
        if len(self._results) + len(results) > self._limit:
            for result in results:
                self.add(result, pytest=pytest, go=go)
            return
        known = list(map(self._results.setdefault, tests, results))
        if any(map(is_not, known, results)):
            for before, result in zip(known, results, strict=True):
                if before is not result:
                    self._add_again(self._results[result.test], result, pytest=pytest, go=go)

    def _add_again(self, known: Result, result: Result, *, pytest: bool, go: bool) -> None:
        self._repeats[result.test] += 1
        if go:
            self._note_attempt(known, result)
        if pytest and _is_bare(known):
            self._hidden.add(result.test)
            self._results[result.test] = result
            return
        if known.outcome.kind is not result.outcome.kind and not (pytest and _is_teardown_of(known, result)):
            self._differing.add(result.test)
        if (
            self._repeats[result.test] < MAX_MERGED
            or _WORSE[result.outcome.kind] > _WORSE[known.outcome.kind]
        ):
            self._results[result.test] = merge(known, result)

    def _note_attempt(self, known: Result, again: Result) -> None:
        attempts = self._attempts.setdefault(known.test, [known.outcome])
        if not attempts[-1].kind.is_red:
            self._counted_runs.add(known.test.classname)
        if len(attempts) < MAX_MERGED:
            attempts.append(again.outcome)

    def settle(self) -> None:
        """Call it after the last record: what failed and was run again until it passed has passed."""
        for test, attempts in self._attempts.items():
            if attempts[-1].kind is OutcomeKind.PASSED and test.classname not in self._counted_runs:
                self._results[test] = self._results[test]._replace(
                    outcome=attempts[-1], earlier=tuple(attempts[:-1])
                )
                self._differing.discard(test)
                self._rerun.add(test)

    @property
    def results(self) -> tuple[Result, ...]:
        return tuple(self._results.values())

    def cuts(self) -> list[str]:
        """Say how many results were left out, if any."""
        if not self._left_out:
            return []
        return [f"{self._left_out} results beyond the first {self._limit} were left out"]

    def doubts(self) -> list[str]:
        """Say which tests were reported with different outcomes: one of them is not true."""
        return _first([self._differs(test) for test in self._repeats if test in self._differing])

    def problems(self) -> list[str]:
        """Say which tests were reported more than once, and what was made of it."""
        lines = []
        for test in self._repeats:
            if test in self._differing:
                lines.append(self._differs(test))
            elif test in self._rerun:
                lines.append(f"{self._times(test)}: it was run again after it had failed, and passed")
            elif test in self._hidden:
                lines.append(f"{self._times(test)}; the outcome of earlier attempts is unknown")
            elif not self._results[test].outcome.kind.is_red:
                lines.append(self._times(test))
        return _first(lines)

    def _differs(self, test: TestId) -> str:
        return f"{self._times(test)} with different outcomes; the worst was kept"

    def _times(self, test: TestId) -> str:
        return f"{_short(test)} is reported {self._repeats[test] + 1} times"


def merge(known: Result, again: Result) -> Result:
    """Make one result of two records of a test: the worst outcome, with the texts of both."""
    first, second = known.outcome, again.outcome
    return known._replace(
        outcome=_merge_outcomes(first, second),
        duration_s=known.duration_s if again.duration_s is None else again.duration_s,
        earlier=known.earlier + again.earlier,
    )


def _merge_outcomes(first: Outcome, second: Outcome) -> Outcome:
    worst = second if _WORSE[second.kind] > _WORSE[first.kind] else first
    if not isinstance(first, Failed | Errored) or not isinstance(second, Failed | Errored):
        return worst
    second_text = second.text or second.message
    text, cut = bounded("\n\n".join(part for part in (first.text or first.message, second_text) if part))
    kind = Errored if isinstance(worst, Errored) else Failed
    return kind(message=first.message, text=text, cut=cut or first.cut or second.cut)


def _is_bare(result: Result) -> bool:
    return result.outcome.kind is OutcomeKind.PASSED and not result.earlier


def _is_teardown_of(known: Result, again: Result) -> bool:
    return (
        known.outcome.kind is OutcomeKind.FAILED
        and isinstance(again.outcome, Errored)
        and again.outcome.message.startswith("failed on teardown")
    )


def _first(lines: list[str]) -> list[str]:
    if len(lines) > _NAMED:
        lines[_NAMED:] = [f"{len(lines) - _NAMED} more tests are reported more than once"]
    return lines


def _short(test: TestId) -> str:
    label = test.label
    return label if len(label) <= _LABEL else f"{label[:_LABEL]}..."
