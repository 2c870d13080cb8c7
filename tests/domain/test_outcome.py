"""Outcomes and the identity of tests."""

import pytest

from app.domain.outcome import Errored, Failed, OutcomeKind, Passed, Result, Skipped, TestId


def test_only_failures_and_errors_are_red() -> None:
    assert {kind for kind in OutcomeKind if kind.is_red} == {OutcomeKind.FAILED, OutcomeKind.ERRORED}


@pytest.mark.parametrize(
    ("test", "label", "base_label"),
    [
        (
            TestId("tests/a.py", "s", "tests.a.TestA", "test_x[cpu-2]"),
            "tests.a.TestA::test_x[cpu-2]",
            "tests.a.TestA::test_x",
        ),
        (TestId("tests/a.py", "s", "", "test_x"), "tests/a.py::test_x", "tests/a.py::test_x"),
        (TestId("", "suite", "", "test_x"), "suite::test_x", "suite::test_x"),
        (TestId("", "", "", "test_x[a]"), "test_x[a]", "test_x"),
        (TestId("", "", "C", "test_x[a] b"), "C::test_x[a] b", "C::test_x[a] b"),
        (TestId("", "", "C", "[a]"), "C::[a]", "C::[a]"),
    ],
)
def test_a_label_names_the_scope_and_folds_parameters(test: TestId, label: str, base_label: str) -> None:
    assert (test.label, test.base_label) == (label, base_label)


def test_parameters_and_files_make_different_tests() -> None:
    assert TestId("a", "", "C", "t[1]") != TestId("a", "", "C", "t[2]")
    assert TestId("a", "", "C", "t") != TestId("b", "", "C", "t")


def test_each_outcome_says_its_kind() -> None:
    outcomes = (Passed(), Skipped(), Failed("", ""), Errored("", ""))
    assert [outcome.kind for outcome in outcomes] == [
        OutcomeKind.PASSED,
        OutcomeKind.SKIPPED,
        OutcomeKind.FAILED,
        OutcomeKind.ERRORED,
    ]
    assert Result(TestId("", "", "", "t"), Passed()).earlier == ()
