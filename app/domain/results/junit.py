"""JUnit XML of many dialects as results, read as a stream; an unreadable part is a problem, never a pass."""

from collections import Counter
from collections.abc import Mapping
from typing import BinaryIO, Final

from app.domain.bounded_text import BoundedText
from app.domain.outcome import Errored, Outcome, OutcomeKind, Result, TestId
from app.domain.pytest_node import PYTEST_SUITE
from app.domain.results.durations import parse_duration
from app.domain.results.junit_case import FLAKY, OUTPUTS, VERDICTS, WRAPPERS, Child, TextBudget, outcome_of
from app.domain.results.junit_claims import Claims, oddities, records_of
from app.domain.results.junit_words import PASSED, TELLING, plain_name
from app.domain.results.marked_cases import Marked
from app.domain.results.plain_cases import Run
from app.domain.results.plain_results import is_plain, results_of
from app.domain.results.repeated_ids import ResultLedger
from app.domain.results.results_file import (
    JUNIT_ROOTS,
    MAX_TESTS,
    Counted,
    Declared,
    Reading,
    ReadStatus,
    Records,
    refusal_of_root,
)
from app.domain.results.suite_names import stable_suite
from app.domain.results.whole_number import whole_number
from app.domain.results.xml_stream import Leaf, Stop, read_xml

__all__ = ["Declared", "ReadStatus", "Reading", "Records", "read_junit"]

MAX_CHILDREN: Final = 200

_GO: Final = "go.version"
"""The property that gotestsum and go-junit-report give to each suite."""
_SUITE_VERDICTS: Final = frozenset({"failure", "error"})


SUITE_ITSELF: Final = "[suite]"
"""Stands for the test where a whole suite failed outside its tests."""


def read_junit(stream: BinaryIO, *, limit: int = MAX_TESTS) -> Reading:
    """Read one file to its end, or to `limit` tests. Total: no bytes make it raise, only the stream may.

    One result a test; records of one test are merged (`repeated_ids`). Where the file is cut or broken, the
    results that were complete before are kept and `problems` says where.
    """
    sink = JunitSink(limit)
    return sink.reading(read_xml(stream, sink, Leaf("testcase", sink.bare, sink.bare_run, sink.marked)))


class _Case:
    """An open testcase."""

    __slots__ = ("attributes", "children", "depth", "verdict_depth")

    def __init__(self, attributes: Mapping[str, str], depth: int) -> None:
        self.attributes = attributes
        self.depth = depth
        self.verdict_depth = depth + 1
        self.children: list[Child] = []

    def has_room_for(self, name: str) -> bool:
        """Past the limit only the first child of a kind is kept, since it can still change the outcome."""
        return len(self.children) < MAX_CHILDREN or all(child.name != name for child in self.children)


class JunitSink:
    """Follows the open suites and testcases; a testcase counts once it is closed."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.listener: BoundedText | None = None
        self._ledger = ResultLedger()
        self._budget = TextBudget()
        self._suites: list[Mapping[str, str]] = []
        self._suite_depths = [1]
        self._suite_path = ""
        self._suite_file: str | None = None
        self._is_pytest = False
        self._is_go = False
        self._counts_subtests = False
        self._cases: list[_Case] = []
        self._child: Child | None = None
        self._child_depth = 0
        self._muted_depth = 0
        self._cases_read = 0
        self._counts: Counter[str] = Counter()
        self._claims = Claims()
        self._root = ""
        self._refusal: str | None = None

    def opened(self, name: str, attributes: Mapping[str, str], depth: int) -> None:
        if depth == 1:
            self._open_root(name, attributes)
        if name != "testcase":
            name = plain_name(name)
        if name == "testcase":
            if self._cases_read >= self._limit:
                raise Stop(f"the tests beyond the first {self._limit} were left out")
            self._cases.append(_Case(attributes, depth))
        elif self._cases:
            self._open_child(name, attributes, depth)
        elif name == "testsuite":
            if not self._suites:
                self._claims.of_suite(attributes)
            self._suites.append(attributes)
            self._suite_depths.append(depth)
            self._follow_suites()
        elif name in _SUITE_VERDICTS and self._is_beside_tests(depth):
            self._listen(Child(name, attributes, self._budget.start()), depth)
        elif name == "property" and attributes.get("name") == _GO:
            self._is_go = True

    def closed(self, name: str, depth: int) -> None:
        if name != "testcase":
            name = plain_name(name)
        if name == "testcase":
            self._close_case(self._cases.pop())
        elif self._cases:
            self._close_child(depth)
        elif name == "testsuite":
            self._suites.pop()
            self._suite_depths.pop()
            self._follow_suites()
        elif self._child is not None and depth == self._child_depth:
            self._fail_suite(self._child)
            self._close_child(depth)

    def _is_beside_tests(self, depth: int) -> bool:
        return self._child is None and self._root in JUNIT_ROOTS and depth == self._suite_depths[-1] + 1

    def _open_root(self, name: str, attributes: Mapping[str, str]) -> None:
        self._root = self._root or plain_name(name)
        self._refusal = refusal_of_root(name)
        if self._refusal is not None:
            raise Stop(self._refusal)
        self._claims.of_root(attributes)

    def _follow_suites(self) -> None:
        names = [stable_suite(suite.get("name") or "") for suite in self._suites]
        self._suite_path = " > ".join(name for name in names if name)
        self._suite_file = next(
            (suite["file"] for suite in reversed(self._suites) if suite.get("file")), None
        )
        self._is_pytest = PYTEST_SUITE in names
        self._is_go = False
        self._counts_subtests = self._counts_subtests or self._is_pytest

    def _open_child(self, name: str, attributes: Mapping[str, str], depth: int) -> None:
        if self._child is None:
            case = self._cases[-1]
            if depth != case.verdict_depth:
                return
            if name in VERDICTS and case.has_room_for(name):
                child = Child(name, attributes, self._budget.start())
                case.children.append(child)
                self._listen(child, depth)
            elif name in WRAPPERS:
                case.verdict_depth += 1
        elif name in OUTPUTS and self.listener is not None:
            self._muted_depth, self.listener = depth, None

    def _listen(self, child: Child, depth: int) -> None:
        self._child, self._child_depth = child, depth
        self.listener = child.text

    def _close_child(self, depth: int) -> None:
        if self._child is None:
            if self._cases and self._cases[-1].depth < depth == self._cases[-1].verdict_depth - 1:
                self._cases[-1].verdict_depth -= 1
            return
        if depth == self._muted_depth:
            self._muted_depth, self.listener = 0, self._child.text
        elif depth == self._child_depth:
            self._budget.spend(len(self._child.text))
            self._child = self.listener = None

    def bare(self, attributes: Mapping[str, str]) -> None:
        """A testcase without children: it passed, unless an attribute says otherwise."""
        if self._cases_read >= self._limit:
            raise Stop(f"the tests beyond the first {self._limit} were left out")
        if TELLING.isdisjoint(attributes):
            self._add(attributes, PASSED)
        else:
            self._close_case(_Case(attributes, 0))

    def bare_run(self, run: Run) -> None:
        """Many testcases without children."""
        if not is_plain(run) or len(run.rows) > self._limit - self._cases_read:
            for row in run.rows:
                self.bare(dict(zip(run.names, row, strict=True)))
            return
        tests, results = results_of(run, self._suite_path, self._suite_file)
        self._cases_read += len(results)
        self._counts["nameless"] += sum(1 for test in tests if not test.name)
        self._ledger.add_all(tests, results, pytest=self._is_pytest, go=self._is_go)

    def marked(self, marked: Marked) -> None:
        """A testcase with one verdict at most, and perhaps output beside it."""
        if not marked.verdict or self._child is not None:
            if self.listener is not None:  # within an error beside the tests everything is its text
                self.listener.add(marked.text)
            self.bare(marked.attributes)
            return
        if self._cases_read >= self._limit:
            raise Stop(f"the tests beyond the first {self._limit} were left out")
        child = Child(marked.verdict, marked.told, self._budget.start())
        child.text.add(marked.text)
        self._budget.spend(len(child.text))
        case = _Case(marked.attributes, 0)
        case.children.append(child)
        self._close_case(case)

    def _close_case(self, case: _Case) -> None:
        outcome, earlier = outcome_of(case.attributes, case.children)
        if outcome is not PASSED or earlier:
            self._count(case.children, outcome.kind)
        placed = next((child for child in case.children if child.file or child.line), None)
        self._add(case.attributes, outcome, earlier, placed)

    def _add(
        self,
        attributes: Mapping[str, str],
        outcome: Outcome,
        earlier: tuple[Outcome, ...] = (),
        placed: Child | None = None,
    ) -> None:
        """`placed` tells where it failed, which is nearer than where the test stands."""
        self._cases_read += 1
        get = attributes.get
        name, classname, file = get("name", ""), get("classname", ""), get("file", "")
        path, line = file or self._suite_file, get("line") or get("lineno")
        if placed is not None:
            path, line = placed.file or path, placed.line or line
        if not name:
            self._counts["nameless"] += 1
        result = Result(
            TestId(file, "" if classname else self._suite_path, classname, name),
            outcome,
            parse_duration(get("time")),
            path,
            self._line(line) if line else None,
            earlier,
        )
        self._ledger.add(result, pytest=self._is_pytest, go=self._is_go)

    def _fail_suite(self, child: Child) -> None:
        """An error beside the tests, such as a set-up for all of them that failed."""
        red = child.to_red()
        test = TestId("", self._suite_path, "", SUITE_ITSELF)
        outcome = Errored(red.message, red.text, red.cut)
        self._counts["suites"] += 1
        self._counts["red children"] += 1
        self._ledger.add(Result(test, outcome, path=self._suite_file), pytest=False)

    def _count(self, children: list[Child], kind: OutcomeKind) -> None:
        reruns = sum(1 for child in children if child.name in FLAKY)
        self._counts["reruns"] += reruns
        self._counts["red children"] += sum(1 for child in children if child.name in _SUITE_VERDICTS)
        if children and reruns == len(children) and kind.is_red:
            self._counts["rerun-only"] += 1
        elif kind is not OutcomeKind.PASSED:
            self._counts[kind] += 1

    def _line(self, value: str) -> int | None:
        """Lines count from 1; pytest counts from 0 (measured with pytest 9)."""
        number = whole_number(value)
        return number + 1 if number is not None and self._is_pytest else number

    def reading(self, damage: list[str]) -> Reading:
        """What the file gave, once it has been read to its end or to where it broke."""
        self._ledger.settle()
        records = records_of(self._cases_read, self._counts)
        has_results = bool(self._ledger.results)
        if self._refusal is not None and not has_results:
            return Reading(None, ReadStatus.REFUSED, self._refusal)
        if not has_results and damage:
            return Reading(None, ReadStatus.REFUSED, f"no test could be read: {damage[0]}")
        if not has_results and self._root not in JUNIT_ROOTS:
            return Reading(None, ReadStatus.REFUSED, f"root element <{self._root[:80]}>, and no test in it")
        cuts = [*damage, *self._ledger.cuts()]
        declared = self._claims.declared()
        odd = oddities(self._root, records, declared, self._counts)
        problems = [*cuts, *self._ledger.problems(), *odd]
        return Reading(
            format="junit",
            status=ReadStatus.PARTIAL if cuts else ReadStatus.COMPLETE,
            reason=cuts[0] if cuts else None,
            results=self._ledger.results,
            declared=declared,
            problems=tuple(problems),
            doubts=tuple(self._ledger.doubts()),
            records=records,
            counted=Counted(self._counts["red children"], self._counts_subtests, self._claims.of_suites),
        )
