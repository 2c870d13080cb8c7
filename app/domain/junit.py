"""JUnit XML of many dialects as results, read as a stream; an unreadable part is a problem, never a pass."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import BinaryIO, Final

from app.domain.junit_case import FLAKY, OUTPUTS, VERDICTS, Child, TextBudget, outcome_of
from app.domain.outcome import OutcomeKind, Result, TestId
from app.domain.repeated_ids import ResultLedger
from app.domain.results_file import JUNIT_ROOTS, Declared, Reading, ReadStatus, Records, refusal_of_root
from app.domain.xml_stream import Stop, XmlDamage, read_xml

__all__ = ["Declared", "ReadStatus", "Reading", "Records", "read_results"]

LONGEST_DURATION_S: Final = 1e8
"""About three years; a longer test is a unit mistaken or a sum of nonsense."""

_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{3}){1,4}\.[0-9]{1,12}")
_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_SUITE_STAMP: Final = re.compile(r"-[0-9]{14}$")  # unittest-xml-reporting adds the run's time
_CLAIMS: Final = ("tests", "failures", "errors", "skipped")


def read_results(stream: BinaryIO) -> Reading:
    """Read one file to its end. Total: no bytes make it raise, only the stream itself may.

    One result a test; records of one test are merged (`repeated_ids`). Where the file is cut or broken, the
    results that were complete before are kept and `problems` says where.
    """
    sink = _JunitSink()
    damage = read_xml(stream, sink)
    if damage.refused is not None:
        return Reading(None, ReadStatus.REFUSED, damage.refused)
    return sink.reading(damage)


class _Case:
    def __init__(self, attributes: Mapping[str, str], depth: int) -> None:
        self.attributes = attributes
        self.depth = depth
        self.children: list[Child] = []


class _JunitSink:
    """Follows the open suites and testcases; a testcase counts once it is closed."""

    def __init__(self) -> None:
        self._ledger = ResultLedger()
        self._budget = TextBudget()
        self._suites: list[Mapping[str, str]] = []
        self._suite_path = ""
        self._cases: list[_Case] = []
        self._child: Child | None = None
        self._child_depth = 0
        self._muted_depth = 0
        self._counts: Counter[OutcomeKind] = Counter()
        self._flaky_reruns = 0
        self._rerun_only = 0
        self._nameless = 0
        self._claims: Counter[str] = Counter()
        self._root_claims: Counter[str] = Counter()
        self._is_pytest = False
        self._root = ""
        self._refusal: str | None = None

    def opened(self, name: str, attributes: Mapping[str, str], depth: int) -> None:
        if depth == 1:
            self._open_root(name, attributes)
        if name == "testcase":
            self._cases.append(_Case(attributes, depth))
        elif self._cases:
            self._open_child(name, attributes, depth)
        elif name == "testsuite":
            self._open_suite(attributes)

    def closed(self, name: str, depth: int) -> None:
        if name == "testcase":
            self._close_case(self._cases.pop())
        elif self._cases:
            self._close_child(depth)
        elif name == "testsuite":
            self._suites.pop()
            self._follow_suites()

    def text(self, piece: str) -> None:
        if self._child is not None and not self._muted_depth:
            self._child.text.add(piece)

    def _open_root(self, name: str, attributes: Mapping[str, str]) -> None:
        self._root = self._root or name
        self._refusal = refusal_of_root(name)
        if self._refusal is not None:
            raise Stop(self._refusal)
        _claim(self._root_claims, attributes)

    def _open_suite(self, attributes: Mapping[str, str]) -> None:
        if not self._suites:
            _claim(self._claims, attributes)
        self._suites.append(attributes)
        self._follow_suites()

    def _follow_suites(self) -> None:
        names = [_SUITE_STAMP.sub("", suite.get("name") or "") for suite in self._suites]
        self._suite_path = " > ".join(name for name in names if name)
        self._is_pytest = "pytest" in names

    def _open_child(self, name: str, attributes: Mapping[str, str], depth: int) -> None:
        if self._child is None:
            case = self._cases[-1]
            if depth == case.depth + 1 and name in VERDICTS:
                self._child, self._child_depth = Child(name, attributes, self._budget.start()), depth
                case.children.append(self._child)
        elif name in OUTPUTS and not self._muted_depth:
            self._muted_depth = depth

    def _close_child(self, depth: int) -> None:
        if depth == self._muted_depth:
            self._muted_depth = 0
        elif self._child is not None and depth == self._child_depth:
            self._budget.spend(str(self._child.text))
            self._child = None

    def _close_case(self, case: _Case) -> None:
        attributes = case.attributes
        outcome, earlier = outcome_of(attributes, case.children)
        reruns = sum(1 for child in case.children if child.name in FLAKY)
        if reruns == len(case.children) > 0 and outcome.kind.is_red:
            self._rerun_only += 1
        else:
            self._counts[outcome.kind] += 1
        self._flaky_reruns += reruns
        name, classname = attributes.get("name") or "", attributes.get("classname") or ""
        if not name:
            self._nameless += 1
        file = attributes.get("file") or ""
        result = Result(
            TestId(file, "" if classname else self._suite_path, classname, name),
            outcome,
            duration_s=parse_duration(attributes.get("time")),
            path=file or self._suite_file(),
            line=self._line(attributes.get("line")),
            earlier=earlier,
        )
        self._ledger.add(result, pytest=self._is_pytest)

    def _suite_file(self) -> str | None:
        return next((suite["file"] for suite in reversed(self._suites) if suite.get("file")), None)

    def _line(self, value: str | None) -> int | None:
        """Lines count from 1; pytest counts from 0 (measured with pytest 9)."""
        number = _whole(value)
        return number + 1 if number is not None and self._is_pytest else number

    def reading(self, damage: XmlDamage) -> Reading:
        """What the file gave, once it has been read to its end or to where it broke."""
        records = self._records()
        if self._refusal is not None and not records.cases:
            return Reading(None, ReadStatus.REFUSED, self._refusal)
        if not records.cases and damage.problems:
            return Reading(None, ReadStatus.REFUSED, f"no test could be read: {damage.problems[0]}")
        if not records.cases and self._root not in JUNIT_ROOTS:
            return Reading(None, ReadStatus.REFUSED, f"root element <{self._root[:80]}>, and no test in it")
        cuts = damage.problems + (["too many results"] if self._ledger.is_cut else [])
        declared = self._declared()
        problems = [*damage.problems, *self._ledger.problems(), *self._oddities(records, declared)]
        return Reading(
            format="junit",
            status=ReadStatus.PARTIAL if cuts else ReadStatus.COMPLETE,
            reason=cuts[0] if cuts else None,
            results=self._ledger.results,
            declared=declared,
            problems=tuple(problems),
            records=records,
        )

    def _records(self) -> Records:
        return Records(
            cases=self._counts.total() + self._rerun_only,
            passed=self._counts[OutcomeKind.PASSED] + self._rerun_only,
            failed=self._counts[OutcomeKind.FAILED],
            errored=self._counts[OutcomeKind.ERRORED],
            skipped=self._counts[OutcomeKind.SKIPPED],
            flaky_reruns=self._flaky_reruns,
        )

    def _declared(self) -> Declared:
        values = {claim: self._root_claims.get(claim, self._claims.get(claim)) for claim in _CLAIMS}
        return Declared(**values)

    def _oddities(self, records: Records, declared: Declared) -> list[str]:
        lines = []
        if not records.cases:
            lines.append("no test in it")
        if self._root not in JUNIT_ROOTS:
            lines.append(f"unusual root element <{self._root[:80]}>")
        if declared.tests is not None and declared.tests != records.cases:
            lines.append(f"the file claims {declared.tests} tests and lists {records.cases}")
        claimed_red = (declared.failures or 0) + (declared.errors or 0)
        if claimed_red > records.failed + records.errored:
            lines.append(
                f"the file claims {claimed_red} failures and lists {records.failed + records.errored}"
            )
        if self._rerun_only:
            lines.append(f"{self._rerun_only} tests have failed reruns only, so they count as failed")
        if self._nameless:
            lines.append(f"{self._nameless} tests have no name")
        return lines


def parse_duration(value: str | None) -> float | None:
    """Seconds, or None where the value is missing or could mean two things (`0,25`, `1.234,56`)."""
    if not value or "_" in value:
        return None
    if _GROUPED.fullmatch(value):
        value = value.replace(",", "")
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LONGEST_DURATION_S else None


def _claim(claims: Counter[str], attributes: Mapping[str, str]) -> None:
    for claim in _CLAIMS:
        number = _whole(attributes.get(claim))
        if number is not None:
            claims[claim] += number


def _whole(value: str | None) -> int | None:
    return int(value) if value is not None and _WHOLE.fullmatch(value) else None
