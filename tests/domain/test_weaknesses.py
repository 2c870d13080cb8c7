"""Of a file's findings those are told that keep this test's failures from saying more."""

import pytest

from app.domain.lint.finding import LintFinding, Rule
from app.domain.outcome import TestId
from app.domain.weaknesses import weaknesses_of

PATH = "sub/tests/test_dcp.py"


def finding(line: int, test: str | None, *sisters: str, rule: Rule = Rule.ONE_ITEM_DRAINED) -> LintFinding:
    node = None if test is None else f"{PATH}::{test}"
    named = tuple(f"{PATH}::{one}" for one in sisters)
    return LintFinding(rule, PATH, line, 1, line, node, "text", "mend", named)


def lines(test: TestId, *findings: LintFinding) -> list[int]:
    return [one.line for one in weaknesses_of(test, PATH, findings)]


def named(classname: str, name: str = "test_a[muon]") -> TestId:
    return TestId(file="", suite="", classname=classname, name=name)


@pytest.mark.parametrize("classname", ["tests.test_dcp", "sub.tests.test_dcp", "test_dcp"])
def test_its_own_and_the_files_are_told_and_others_are_not(classname: str) -> None:
    assert lines(named(classname), finding(1, "test_a"), finding(2, "test_b"), finding(3, None)) == [1, 3]


def test_a_shared_weakness_is_told_where_it_has_none_of_its_own() -> None:
    shared = finding(1, "test_b", "test_a"), finding(2, "test_b", "test_a", rule=Rule.NO_EARLY_EXIT_CHECK)
    assert lines(named("tests.test_dcp"), *shared) == [1, 2]
    assert lines(named("tests.test_dcp"), *shared, finding(9, "test_a", "test_b")) == [2, 9]


def test_methods_of_two_classes_are_two_tests() -> None:
    found = finding(1, "TestOne::test_a"), finding(2, "TestTwo::test_a"), finding(3, "test_a")
    assert lines(named("tests.test_dcp.TestTwo"), *found) == [2]
    assert lines(named("tests.test_dcp"), *found) == [3]


def test_a_test_without_a_class_is_known_by_its_name() -> None:
    assert lines(TestId(file=PATH, suite="", classname="", name="test_a"), finding(1, "test_a")) == [1]
