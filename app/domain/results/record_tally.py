"""The records of one file of a .NET runner: counted, their results kept, and put together to a reading."""

from collections import Counter
from typing import Final, Literal

from app.domain.outcome import Errored, Failed, OutcomeKind, Result, TestId
from app.domain.results.junit import SUITE_ITSELF
from app.domain.results.repeated_ids import ResultLedger
from app.domain.results.results_file import Counted, Declared, Reading, ReadStatus, Records

_WORDS_NAMED: Final = 5
_WORD: Final = 40


class RecordTally:
    """Counts records and holds their results, `limit` at most."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.cases = 0
        self._kinds: Counter[OutcomeKind] = Counter()
        self._nameless = 0
        self._beside = 0
        self._unknown: Counter[str] = Counter()
        self._ledger = ResultLedger()

    @property
    def red(self) -> int:
        """Failures and errors, those beside the tests among them."""
        return self._kinds[OutcomeKind.FAILED] + self._kinds[OutcomeKind.ERRORED] + self._beside

    def add(self, result: Result) -> None:
        self.cases += 1
        self._kinds[result.outcome.kind] += 1
        self._nameless += not result.test.name
        self._ledger.add(result, pytest=False)

    def add_beside(self, result: Result) -> None:
        """Something failed that is no test: a set-up for many of them, a run that was aborted."""
        self._beside += 1
        self._ledger.add(result, pytest=False)

    def note_unknown(self, word: str) -> None:
        if word in self._unknown or len(self._unknown) < _WORDS_NAMED:
            self._unknown[word] += 1
        else:
            self._unknown["and others"] += 1

    def reading(
        self,
        name: Literal["nunit", "xunit.net", "trx"],
        damage: list[str],
        declared: Declared,
        *,
        doubts: tuple[str, ...] = (),
        problems: tuple[str, ...] = (),
        parts_counted: bool = False,
    ) -> Reading:
        """What the file gave. `parts_counted`: its producer may count parts of tests that are no records."""
        results = self._ledger.results
        if not results and damage:
            return Reading(None, ReadStatus.REFUSED, f"no test could be read: {damage[0]}")
        cuts = [*damage, *self._ledger.cuts()]
        unsure = [*doubts, *self._unknown_words()]
        problems = (*cuts, *self._ledger.problems(), *unsure, *self._oddities(declared), *problems)
        return Reading(
            format=name,
            status=ReadStatus.PARTIAL if cuts else ReadStatus.COMPLETE,
            reason=cuts[0] if cuts else None,
            results=results,
            declared=declared,
            problems=problems,
            records=self._records(),
            doubts=(*unsure, *self._ledger.doubts()),
            counted=Counted(red_children=self.red, subtests=parts_counted),
        )

    def _records(self) -> Records:
        kinds = self._kinds
        return Records(
            cases=self.cases,
            passed=kinds[OutcomeKind.PASSED],
            failed=kinds[OutcomeKind.FAILED],
            errored=kinds[OutcomeKind.ERRORED],
            skipped=kinds[OutcomeKind.SKIPPED],
        )

    def _unknown_words(self) -> list[str]:
        return [
            f"{count} tests have an outcome that is not known: {word[:_WORD]!r}"
            for word, count in self._unknown.items()
        ]

    def _oddities(self, declared: Declared) -> list[str]:
        lines = []
        if not self.cases:
            lines.append("no test in it")
        if self._beside:
            lines.append(f"{self._beside} errors stand beside the tests")
        if self._nameless:
            lines.append(f"{self._nameless} tests have no name")
        claimed = (declared.failures or 0) + (declared.errors or 0)
        if claimed > self.red:
            lines.append(f"the file claims {claimed} failures and lists {self.red}")
        return lines


def suite_result(suite: str, failure: Failed, path: str | None, line: int | None) -> Result:
    """The failure of a suite, or of the whole run, that belongs to no test."""
    return Result(TestId("", suite, "", SUITE_ITSELF), as_error(failure), path=path, line=line)


def as_error(failure: Failed) -> Errored:
    """The same failure as one outside the test's own call."""
    return Errored(failure.message, failure.text, failure.cut)
