"""Results files of xUnit.net v2 and v3, and of v1, whose tests lie in classes."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from app.domain.outcome import Failed, Outcome, Result, Skipped, TestId
from app.domain.results.durations import parse_duration
from app.domain.results.junit_words import PASSED
from app.domain.results.record_sink import OpenRecord, RecordSink, Shape, last_part
from app.domain.results.record_tally import suite_result
from app.domain.results.results_file import Declared, Reading, ReadStatus
from app.domain.results.whole_number import whole_number

ROOTS: Final = frozenset({"assemblies", "assembly"})

_SHAPE: Final = Shape(
    roots=ROOTS,
    cases=frozenset({"test"}),
    others=frozenset({"error"}),
    texts={
        ("failure", "message"): "message",
        ("failure", "stack-trace"): "trace",
        ("reason",): "reason",  # xUnit.net v1 has a message in it
    },
)
_SKIPS: Final = {"skip": "", "notrun": "not run"}


class XunitNetSink(RecordSink):
    """Follows assemblies and their tests; what failed beside the tests (`errors`) is kept as an error."""

    def __init__(self, limit: int) -> None:
        super().__init__(_SHAPE, limit)
        self._assembly = ""
        self._assemblies = False
        self._claims: Counter[str] = Counter()
        self._not_run = 0

    def told(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "assemblies":
            self._assemblies = True
        elif name == "assembly":
            self._assembly = last_part(attributes.get("name") or "")
            for claim in ("total", "failed", "errors", "skipped", "not-run"):
                if (count := whole_number(attributes.get(claim))) is not None:
                    self._claims[claim] += count

    def record_closed(self, record: OpenRecord) -> None:
        path, line = record.place()
        attributes = record.attributes
        if record.element == "error":
            what = " ".join(attributes[key] for key in ("type", "name") if attributes.get(key))
            failure = record.failure(what or "an error beside the tests")
            text = f"{what}\n{failure.text}" if what else failure.text
            self.tally.add_beside(suite_result(self._assembly, Failed(failure.message, text), path, line))
            return
        source = attributes.get("source-file")
        outcome = self._outcome(record)
        if source and path is None:
            path, line = source, whole_number(attributes.get("source-line"))
        kind = attributes.get("type") or ""
        test = TestId("", "" if kind else self._assembly, kind, attributes.get("name") or "")
        self.tally.add(Result(test, outcome, parse_duration(attributes.get("time")), path, line))

    def _outcome(self, record: OpenRecord) -> Outcome:
        word = (record.attributes.get("result") or "").strip()
        plain = word.lower()
        if plain == "fail" or record.has_failure:
            return record.failure('the file says result="Fail" and no more')
        if plain == "pass":
            return PASSED
        if plain == "notrun":
            self._not_run += 1
        elif plain not in _SKIPS:
            self.tally.note_unknown(word)
            return Skipped(f'not run: result="{word[:60]}"')
        return Skipped(record.text("reason") or _SKIPS[plain])

    def reading(self, damage: list[str]) -> Reading:
        """What the file gave, once it has been read to its end or to where it broke."""
        claims = self._claims
        if not self._assemblies and not self.tally.cases and not claims and not self.tally.red:
            return Reading(None, ReadStatus.REFUSED, "root element <assembly>, and no test in it")
        declared = Declared(
            tests=claims.get("total"),
            failures=claims.get("failed"),
            errors=claims.get("errors"),
            skipped=claims["skipped"] + claims["not-run"] if "skipped" in claims else None,
        )
        total, cases = declared.tests, self.tally.cases
        is_other = total is not None and total not in {cases, cases - self._not_run}
        problems = (f"the file claims {total} tests and lists {cases}",) if is_other else ()
        return self.tally.reading("xunit.net", damage, declared, problems=problems)
