"""Results files of NUnit 3 (`test-run`): its tests, and the suites that failed by themselves."""

from collections.abc import Mapping
from typing import Final

from app.domain.outcome import Outcome, Result, Skipped, TestId
from app.domain.results.durations import parse_duration
from app.domain.results.junit_words import PASSED
from app.domain.results.record_sink import OpenRecord, RecordSink, Shape
from app.domain.results.record_tally import as_error, suite_result
from app.domain.results.results_file import Declared, Reading
from app.domain.results.whole_number import whole_number

ROOTS: Final = frozenset({"test-run"})

_SHAPE: Final = Shape(
    roots=ROOTS,
    cases=frozenset({"test-case"}),
    others=frozenset({"test-suite"}),
    texts={
        ("failure", "message"): "message",
        ("failure", "stack-trace"): "trace",
        ("reason", "message"): "reason",
    },
)
_NO_RUN: Final = frozenset({"skipped", "inconclusive", "warning"})
"""A warning is neither a pass nor a failure: NUnit's own adapter reports it as skipped by default."""
_OUTSIDE: Final = frozenset({"setup", "teardown", "parent", "child"})
_OF_OTHERS: Final = frozenset({"child", "parent"})
_CHILD_FAILED: Final = "one or more child tests had"
_NOT_ITSELF: Final = frozenset({"invalid", "cancelled"})
"""Labels of a failure before the test's own code ran, or of one that was stopped from outside."""


class NUnitSink(RecordSink):
    """Follows suites and tests; a test's suite path counts only where no class is named."""

    def __init__(self, limit: int) -> None:
        super().__init__(_SHAPE, limit)
        self._declared = Declared()

    def told(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in ROOTS:
            skipped = [
                whole_number(attributes.get(claim)) for claim in ("skipped", "inconclusive", "warnings")
            ]
            known = [count for count in skipped if count is not None]
            self._declared = Declared(
                tests=whole_number(attributes.get("total")),
                failures=whole_number(attributes.get("failed")),
                skipped=sum(known) if known else None,
            )

    def record_closed(self, record: OpenRecord) -> None:
        path, line = record.place()
        attributes = record.attributes
        if record.element == "test-suite":
            if _failed_by_itself(record):
                told = f"the file says that this {attributes.get('type') or 'suite'} failed and no more"
                suite = attributes.get("fullname") or attributes.get("name") or self._suite_path()
                self.tally.add_beside(suite_result(suite, record.failure(told), path, line))
            return
        outcome = self._outcome(record)
        classname = attributes.get("classname") or ""
        name = attributes.get("name") or attributes.get("fullname") or ""
        test = TestId("", "" if classname else self._suite_path(), classname, name)
        self.tally.add(Result(test, outcome, parse_duration(attributes.get("duration")), path, line))

    def _outcome(self, record: OpenRecord) -> Outcome:
        word = (record.attributes.get("result") or "").strip()
        label = (record.attributes.get("label") or "").strip()
        plain = word.lower()
        if plain in _NO_RUN:
            said = ": ".join(part for part in (label or word, record.text("reason")) if part)
            return Skipped(said)
        if plain == "failed" or record.has_failure:
            failure = record.failure(f'the file says result="{word[:60]}" and no more')
            site = (record.attributes.get("site") or "").strip().lower()
            is_outside = site in _OUTSIDE or label.lower() in _NOT_ITSELF
            return as_error(failure) if is_outside else failure
        if plain == "passed":
            return PASSED
        self.tally.note_unknown(word)
        return Skipped(f'not run: result="{word[:60]}"')

    def _suite_path(self) -> str:
        names = (suite.attributes.get("name") for suite in self.open_records)
        return " > ".join(name for name in names if name)

    def reading(self, damage: list[str]) -> Reading:
        """What the file gave, once it has been read to its end or to where it broke."""
        total, cases = self._declared.tests, self.tally.cases
        is_other = total is not None and total != cases
        problems = (f"the file claims {total} tests and lists {cases}",) if is_other else ()
        return self.tally.reading("nunit", damage, self._declared, problems=problems)


def _failed_by_itself(record: OpenRecord) -> bool:
    """A suite also counts as failed where one of its tests did, or where the suite around it did."""
    if (record.attributes.get("result") or "").strip().lower() != "failed":
        return False
    site = (record.attributes.get("site") or "").strip().lower()
    if site:
        return site not in _OF_OTHERS
    return record.has_failure and not record.text("message").lower().startswith(_CHILD_FAILED)
