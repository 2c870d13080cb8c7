"""What a JUnit file claims in its attributes, what its records come to, and what is odd about either."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from app.domain.outcome import OutcomeKind
from app.domain.results.results_file import JUNIT_ROOTS, Declared, Records
from app.domain.results.whole_number import whole_number

_CLAIMS: Final = ("tests", "failures", "errors", "skipped")


class Claims:
    """The root's own attributes, and their sum over the outer suites."""

    def __init__(self) -> None:
        self._root: Counter[str] = Counter()
        self._suites: Counter[str] = Counter()

    @property
    def of_suites(self) -> int | None:
        """Tests that the outer suites claim together."""
        return self._suites.get("tests")

    def of_root(self, attributes: Mapping[str, str]) -> None:
        _add(self._root, attributes)

    def of_suite(self, attributes: Mapping[str, str]) -> None:
        _add(self._suites, attributes)

    def declared(self) -> Declared:
        return Declared(**{claim: self._root.get(claim, self._suites.get(claim)) for claim in _CLAIMS})


def records_of(cases: int, counts: Mapping[str, int]) -> Records:
    """`counts` by outcome, with `reruns`; what it does not hold is 0."""
    failed, errored = counts.get(OutcomeKind.FAILED, 0), counts.get(OutcomeKind.ERRORED, 0)
    skipped = counts.get(OutcomeKind.SKIPPED, 0)
    return Records(
        cases, cases - failed - errored - skipped, failed, errored, skipped, counts.get("reruns", 0)
    )


def oddities(root: str, records: Records, declared: Declared, counts: Counter[str]) -> list[str]:
    """Sentences about what a complete file may have and a person should know."""
    lines = []
    if not records.cases:
        lines.append("no test in it")
    if root not in JUNIT_ROOTS:
        lines.append(f"unusual root element <{root[:80]}>")
    if declared.tests is not None and declared.tests != records.cases:
        lines.append(f"the file claims {declared.tests} tests and lists {records.cases}")
    if counts["suites"]:
        lines.append(f"{counts['suites']} errors stand beside the tests of a suite")
    if counts["rerun-only"]:
        lines.append(f"{counts['rerun-only']} tests have failed reruns only, so they count as failed")
    if counts["nameless"]:
        lines.append(f"{counts['nameless']} tests have no name")
    claimed = (declared.failures or 0) + (declared.errors or 0)
    listed = records.failed + records.errored + counts["suites"]
    if claimed > listed:
        lines.append(f"the file claims {claimed} failures and lists {listed}")
    return lines


def _add(claims: Counter[str], attributes: Mapping[str, str]) -> None:
    for claim in _CLAIMS:
        number = whole_number(attributes.get(claim))
        if number is not None:
            claims[claim] += number
