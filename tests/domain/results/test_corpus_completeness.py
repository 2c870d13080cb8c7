"""Which real files claim tests that they do not list; the others' claims are known to count otherwise."""

import json
import os
from pathlib import Path

import pytest

from app.domain.completeness import shortfall
from app.domain.results.formats import read_results

CORPUS = Path(os.getenv("FLAKE_TRIAGE_CORPUS") or Path(__file__).parents[4] / "shared") / "corpus" / "junit"
INDEX = CORPUS / "INDEX.json"

SHORT = {
    "EnricoMi__publish-unit-test-result-action__corrupt-xml.xml": "claims 1 failures and lists 0",
    "EnricoMi__publish-unit-test-result-action__no-cases-but-tests.xml": "claims 1 failures and lists 0",
    "EnricoMi__publish-unit-test-result-action__xunit.xml": "claims 173 tests and lists 2",
    "ScaCap__action-surefire-report__TEST-test.MyIntegrationTestSuite.xml": "claims 924 tests and lists 5",
    "allure-framework__allure2__zulu-timestamp.xml": "claims 65255 tests and lists 2",
    "edge__truncated-mid-attribute.xml": "claims 4 tests and lists 2",
    "googleapis__repo-automation-bots__go_failure_group.xml": "claims 18 tests and lists 7",
    "googleapis__repo-automation-bots__many_failed_same_pkg.xml": "claims 14 tests and lists 5",
    "inorton__junit2html__junit-testrun.xml": "claims 769 tests and lists 7",
    "jenkinsci__flaky-test-handler-plugin__flaky-report-1.xml": "claims 456 tests and lists 5",
    "jenkinsci__junit-plugin__junit-report-1472.xml": "claims 2654 tests and lists 2653",
    "mikepenz__action-junit-report__flaky_with_classname_file.xml": "claims 3 failures and lists 2",
    "mikepenz__action-junit-report__mocha.xml": "claims 15515 tests and lists 1",
}
"""Cut by their projects to a few tests, cut in the middle, or wrong when they were written."""

pytestmark = pytest.mark.skipif(
    not INDEX.exists(), reason="no corpus: set FLAKE_TRIAGE_CORPUS to the folder that holds corpus/junit"
)


def test_only_files_that_list_less_than_they_claim_are_incomplete() -> None:
    told = {}
    for entry in json.loads(INDEX.read_text(encoding="utf-8")):
        with (CORPUS / entry["file"]).open("rb") as file:
            told[entry["file"]] = shortfall(read_results(file))
    found = {name: words for name, words in told.items() if words is not None}
    assert found.keys() == SHORT.keys()
    assert [name for name, words in SHORT.items() if words not in found[name]] == []
