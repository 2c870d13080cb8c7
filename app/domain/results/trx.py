"""TRX files of Visual Studio's test platform: results, the classes of their definitions, run errors."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from app.domain.outcome import Outcome, Result, Skipped, TestId
from app.domain.results.junit_words import PASSED
from app.domain.results.record_sink import OpenRecord, RecordSink, Shape, last_part
from app.domain.results.record_tally import as_error, suite_result
from app.domain.results.results_file import Declared, Reading
from app.domain.results.whole_number import whole_number

ROOTS: Final = frozenset({"TestRun"})

_RESULTS: Final = frozenset(
    {"UnitTestResult", "TestResult", "TestResultAggregation", "GenericTestResult", "ManualTestResult"}
    | {"WebTestResult", "LoadTestResult"}
)
_RUN_INFO: Final = "RunInfo"
_SHAPE: Final = Shape(
    roots=ROOTS,
    cases=_RESULTS,
    others=frozenset({_RUN_INFO}),
    texts={
        ("Output", "ErrorInfo", "Message"): "message",
        ("Output", "ErrorInfo", "StackTrace"): "trace",
        ("Output", "StdOut"): "reason",
        ("Text",): "message",
    },
)
_PASSES: Final = frozenset({"passed", "passedbutrunaborted"})
_ERRORS: Final = frozenset(
    {"error", "timeout", "aborted", "notrunnable", "disconnected", "inprogress"}  # the last one never ended
)
_NO_RUN: Final = frozenset({"notexecuted", "inconclusive", "warning", "completed", "pending"})
"""Completed has "no qualitative measure": nobody says that it passed."""
_BAD_RUNS: Final = frozenset({"failed", "error", "timeout", "aborted", "disconnected"})

_ECHO: Final = re.compile(r"\[xUnit\.net [0-9:.]{1,20}\]\s{0,40}[^\n]{0,2000}\[(?:FAIL|SKIP)\]$")
"""A failed test told once more among the run's errors by xUnit.net's adapter."""
_CLOCK: Final = re.compile(r"(?:([0-9]{1,5})\.)?([0-9]{1,2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]{1,9})?)")
_ID: Final = 100
_CLASS: Final = 1000
_REASON: Final = 1000


class _Definition(NamedTuple):
    classname: str
    storage: str


class _Pending(NamedTuple):
    """A result whose class is not known before the definitions are read, which mostly follow the results."""

    test_id: str
    result: Result
    is_case: bool


class TrxSink(RecordSink):
    """Follows results, definitions and the summary; a result with inner ones is no further test."""

    def __init__(self, limit: int) -> None:
        super().__init__(_SHAPE, limit)
        self._pending: list[_Pending] = []
        self._definitions: dict[str, _Definition] = {}
        self._definition: tuple[str, str] | None = None
        self._undefined = 0
        self._parents = self._tops = 0
        self._run_outcome = ""
        self._declared = Declared()
        self._aborted = 0

    def told(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "UnitTest":
            storage = last_part(attributes.get("storage") or "")
            self._definition = ((attributes.get("id") or "")[:_ID].lower(), storage[:_CLASS])
        elif name == "TestMethod" and self._definition is not None:
            self._define(*self._definition, attributes.get("className") or "")
            self._definition = None
        elif name == "ResultSummary":
            self._run_outcome = (attributes.get("outcome") or "").strip()
        elif name == "Counters":
            self._declared = _declared(attributes)

    def _define(self, test_id: str, storage: str, classname: str) -> None:
        if len(self._definitions) >= self.tally.limit:
            self._undefined += 1
            return
        plain = classname.partition(",")[0].strip()[:_CLASS]  # an assembly's full name may follow
        self._definitions[test_id] = _Definition(plain, storage)

    def record_closed(self, record: OpenRecord) -> None:
        if record.element == _RUN_INFO:
            self._run_info(record)
            return
        outcome, attributes = self._outcome(record), record.attributes
        is_case = not record.parts
        if is_case or (outcome.kind.is_red and not record.red_parts):
            path, line = record.place()
            test = TestId("", "", "", self._name(record))
            result = Result(test, outcome, parse_clock(attributes.get("duration")), path, line)
            self._pending.append(_Pending((attributes.get("testId") or "")[:_ID].lower(), result, is_case))
        self._parents += not is_case
        if not self.open_records:
            self._tops += 1
            return
        parent = self.open_records[-1]
        parent.parts += 1
        parent.red_parts += outcome.kind.is_red or record.red_parts > 0

    def _name(self, record: OpenRecord) -> str:
        """Rows of data that bear their test's own name are told apart by the number that the file gives."""
        name = record.attributes.get("testName") or ""
        row = record.attributes.get("dataRowInfo")
        parent = self.open_records[-1].attributes.get("testName") if self.open_records else None
        return f"{name} (Data Row {row[:20]})" if row and name == parent else name

    def _outcome(self, record: OpenRecord) -> Outcome:
        word = (record.attributes.get("outcome") or "").strip()
        plain = word.lower()
        told = f'the file says outcome="{word[:60]}" and no more'
        if plain in _PASSES:
            self._aborted += plain != "passed"
            return PASSED
        if plain in _ERRORS:
            return as_error(record.failure(told))
        if plain in _NO_RUN:
            said = record.text("message") or (record.text("reason") if plain == "notexecuted" else "")
            return Skipped(": ".join(part for part in (word, said[:_REASON]) if part))
        if plain == "failed" or record.has_failure:
            return record.failure(told)
        self.tally.note_unknown(word)
        return Skipped(f'not run: outcome="{word[:60]}"')

    def _run_info(self, record: OpenRecord) -> None:
        """An error of the run, such as a test host that crashed, belongs to no test."""
        word = (record.attributes.get("outcome") or "").strip().lower()
        if word in _BAD_RUNS and not _ECHO.fullmatch(record.text("message")):
            told = "the run had an error, and the file says no more"
            self.tally.add_beside(suite_result("", record.failure(told), None, None))

    def reading(self, damage: list[str]) -> Reading:
        """What the file gave, once it has been read to its end or to where it broke."""
        for pending in self._pending:
            self._settle(pending)
        cases, total = self.tally.cases, self._declared.tests
        problems, doubts = [], []
        if self._undefined:
            damage = [*damage, f"{self._undefined} definitions of tests were left out"]
        if total is not None and total not in {cases, cases + self._parents, self._tops}:
            problems.append(f"the file claims {total} tests and lists {cases}")
        if self._aborted:
            problems.append(f"{self._aborted} tests passed in a run that was aborted")
        if self._run_outcome.lower() in _BAD_RUNS and not self.tally.red:
            doubts.append(
                f'the file says that the run ended as "{self._run_outcome[:40]}", and no test failed'
            )
        return self.tally.reading(
            "trx",
            damage,
            self._declared,
            doubts=tuple(doubts),
            problems=tuple(problems),
            parts_counted=bool(self._parents),
        )

    def _settle(self, pending: _Pending) -> None:
        classname, storage = self._definitions.get(pending.test_id, _Definition("", ""))
        named = pending.result.test._replace(classname=classname, suite="" if classname else storage)
        result = pending.result._replace(test=named)
        if pending.is_case:
            self.tally.add(result)
        else:
            self.tally.add_beside(result)


def _declared(attributes: Mapping[str, str]) -> Declared:
    """The counters as claims. What was not run is what was not executed: `notExecuted` itself stays 0."""
    total, executed = whole_number(attributes.get("total")), whole_number(attributes.get("executed"))
    counts = [whole_number(attributes.get(word)) for word in ("error", "timeout", "aborted", "disconnected")]
    known = [count for count in counts if count is not None]
    return Declared(
        tests=total,
        failures=whole_number(attributes.get("failed")),
        errors=sum(known) if known else None,
        skipped=max(0, total - executed) if total is not None and executed is not None else None,
    )


def parse_clock(value: str | None) -> float | None:
    """Seconds of `[days.]hh:mm:ss.fffffff`; None for anything else."""
    found = _CLOCK.fullmatch(value or "")
    if found is None:
        return None
    days, hours, minutes = (int(part or 0) for part in found.groups()[:3])
    return days * 86400 + hours * 3600 + minutes * 60 + float(found[4])
