"""Files of real tools are counted as their index says; they lie outside the repository, if anywhere."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from app.domain.results.formats import read_results
from app.domain.results.results_file import ReadStatus

CORPUS = Path(os.getenv("FLAKE_TRIAGE_CORPUS") or Path(__file__).parents[4] / "shared") / "corpus" / "junit"
INDEX = CORPUS / "INDEX.json"

REFUSED = {
    "edge__billion-laughs.xml": "an internal document type could define entities",
    "edge__html-404-page.xml": "an HTML page",
    "gurock__trcli__invalid.xml": "root element <b>, and no test in it",
    "jenkinsci__xunit-plugin__testcase1-input.xml": "GLib's own gtester format",
    "paratestphp__paratest__phpunit-common_results.xml": "PHPUnit's configuration",
}
"""Well-formed files that are no JUnit, and the bomb, which a strict parser would read up to its limit."""

READ_FURTHER = {"boostorg__test__log-formatter-test.pattern.junit.xml"}
"""Three documents with text between them: all are read, where the index stops at the text."""


@cache
def index() -> list[dict[str, Any]]:
    if not INDEX.exists():
        return []
    entries: list[dict[str, Any]] = json.loads(INDEX.read_text(encoding="utf-8"))
    return entries


pytestmark = pytest.mark.skipif(
    not INDEX.exists(), reason="no corpus: set FLAKE_TRIAGE_CORPUS to the folder that holds corpus/junit"
)


@pytest.mark.parametrize("entry", index(), ids=lambda entry: entry["file"])
def test_a_real_file_is_counted_as_its_index_says(entry: dict[str, Any]) -> None:
    with (CORPUS / entry["file"]).open("rb") as file:
        reading = read_results(file)
    if entry["file"] in REFUSED:
        assert reading.status is ReadStatus.REFUSED
        assert REFUSED[entry["file"]] in str(reading.reason)
        return
    if entry["file"] in READ_FURTHER:
        assert reading.records.cases == entry["tags_in_text"]["testcase"]
        return
    records = {name: getattr(reading.records, name) for name in reading.records.__slots__}
    distinct = {(result.test.file, result.test.classname, result.test.name) for result in reading.results}
    found = {**records, "distinct_ids": len(distinct)}
    assert {name: found[name] for name in entry["expected"] if name in found} == {
        name: count for name, count in entry["expected"].items() if name in found
    }
    assert (reading.status is ReadStatus.COMPLETE) == entry["well_formed"]


@pytest.mark.parametrize("entry", index(), ids=lambda entry: entry["file"])
def test_the_claims_of_a_real_file_are_added_up(entry: dict[str, Any]) -> None:
    with (CORPUS / entry["file"]).open("rb") as file:
        reading = read_results(file)
    if reading.status is ReadStatus.COMPLETE and "declared" in entry:
        claims = {name: getattr(reading.declared, name) for name in reading.declared.__slots__}
        expected = {name: count for name, count in entry["declared"].items() if name in claims}
        assert {name: claims[name] for name in expected} == expected
