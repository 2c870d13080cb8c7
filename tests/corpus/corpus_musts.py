"""What some files of the index must do beside having the right counts."""

import math
from collections.abc import Callable
from pathlib import Path

from shown import Wrong, check, read

from app.domain.outcome import Errored, Failed, Outcome, OutcomeKind, Result
from worker.commands.read_content import FileRead


def _is_refused(told: FileRead, _: Path) -> None:
    check(holds=told.status.value == "refused" and bool(told.reason), wanted="refused", found=told.status)


def _is_refused_or_unexpanded(told: FileRead, _: Path) -> None:
    longest = max((len(text_of(one.outcome)) for one in told.results), default=0)
    check(holds=longest < 10_000, wanted="refused or left unexpanded", found=longest)


def _has_the_marker(told: FileRead, _: Path) -> None:
    texts = [text_of(one.outcome) for one in told.results]
    check(holds=texts == ["a ]]> b"], wanted="the text a ]]> b", found=texts)


def _is_not_silent(told: FileRead, _: Path) -> None:
    check(holds=told.counts.cases == 2 or bool(told.reason), wanted="2 tests or a reason", found=told.reason)


def _has_unstable_ids(told: FileRead, _: Path) -> None:
    flags = [one for one in told.problems if "history cannot be followed" in one]
    check(holds=bool(flags), wanted="a flag on its unstable ids", found=told.problems)


def _has_sane_times(told: FileRead, _: Path) -> None:
    known = [one.duration_s for one in told.results if one.duration_s is not None]
    check(holds=all(math.isfinite(one) and one >= 0 for one in known), wanted="sane times", found=known)
    check(holds=1234.56 in known, wanted="1234.56 s", found=known)
    wrong = {0.25, 25.0, 1.23456, 0.0, 3.0} & set(known)
    check(holds=not wrong, wanted="no guess at ambiguous times", found=wrong)


def _is_one_red_test(told: FileRead, _: Path) -> None:
    reds = [one for one in told.results if _was_red(one)]
    check(holds=len(told.results) == len(reds) == 1, wanted="1 test that was red", found=told.results)


def _counts_beside_its_pair(told: FileRead, folder: Path) -> None:
    other = {"edge__shard-1-of-2.xml": "2-of-2", "edge__shard-2-of-2.xml": "1-of-2"}[told.name]
    pair = read((folder / f"edge__shard-{other}.xml").read_bytes())
    records = (told.counts.cases or 0) + (pair.counts.cases or 0)
    tests = {one.test for one in (*told.results, *pair.results)}
    found = (records, len(tests), told.digest == pair.digest)
    check(holds=found == (4, 3, False), wanted="4 records of 3 tests", found=found)


def _is_partial(told: FileRead, _: Path) -> None:
    check(holds=told.status.value == "partial", wanted="partial", found=told.status)


def _has_a_readable_suite(told: FileRead, _: Path) -> None:
    odd = [one.test for one in told.results if not (one.test.label.isprintable() and one.test.name)]
    check(holds=not odd, wanted="readable names", found=odd)


def _hides_no_attempts(told: FileRead, _: Path) -> None:
    tests = {one.test.name: one for one in told.results}
    failing = tests["test_always_fails"]
    check(holds=len(tests) == 3, wanted="3 tests", found=sorted(tests))
    check(holds=failing.outcome.kind.is_red, wanted="test_always_fails red", found=failing.outcome.kind)
    passes = [one for one in failing.earlier if one.kind is OutcomeKind.PASSED]
    check(holds=not passes, wanted="no pass of test_always_fails", found=passes)


def _is_a_collection_error(told: FileRead, _: Path) -> None:
    (one,) = told.results
    check(holds=one.outcome.kind is OutcomeKind.ERRORED, wanted="errored", found=one.outcome.kind)
    check(holds="collection" in text_of(one.outcome), wanted="a collection error", found=one.outcome)


def _is_no_pass(told: FileRead, _: Path) -> None:
    if not told.problems:
        raise Wrong("a file without tests has no problem")


def text_of(outcome: Outcome) -> str:
    """Message and text of a red outcome; empty of another."""
    if not isinstance(outcome, Failed | Errored):
        return ""
    return (
        outcome.text
        if outcome.message in outcome.text or len(outcome.message) < 2
        else (f"{outcome.message}\n{outcome.text}")
    )


def _was_red(result: Result) -> bool:
    return any(one.kind.is_red for one in (result.outcome, *result.earlier))


MUSTS: dict[str, Callable[[FileRead, Path], None]] = {
    "edge__billion-laughs.xml": _is_refused_or_unexpanded,
    "edge__cdata-end-marker.xml": _has_the_marker,
    "edge__html-404-page.xml": _is_refused,
    "edge__json-in-xml-name.xml": _is_refused,
    "edge__log-text-before-xml.xml": _is_not_silent,
    "edge__memory-address-in-id.xml": _has_unstable_ids,
    "edge__odd-times.xml": _has_sane_times,
    "edge__same-test-passes-and-fails.xml": _is_one_red_test,
    "edge__shard-1-of-2.xml": _counts_beside_its_pair,
    "edge__shard-2-of-2.xml": _counts_beside_its_pair,
    "edge__truncated-mid-attribute.xml": _is_partial,
    "edge__utf16-be-bom.xml": _has_a_readable_suite,
    "edge__whitespace-only.xml": _is_refused,
    "made__pytest9-rerunfailures16__silent-reruns.xml": _hides_no_attempts,
    "made__pytest9__collection-error.xml": _is_a_collection_error,
    "made__pytest9__nothing-selected.xml": _is_no_pass,
}
