"""`cargo test` names its failures between the beginning of a run and its result."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog.cargo_test_log import CargoTestLog
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Failed, Result, TestId

LINES = OUTPUTS["cargo test"].splitlines()


def told(*lines: str) -> tuple[ToldFailure, ...]:
    return fed(CargoTestLog(), lines).failures()


def test_a_failure_has_its_text_its_place_and_its_binary() -> None:
    reader = fed(CargoTestLog(), LINES)
    assert reader.counts == RunCounts(failed=1, passed=1, skipped=1)
    (failure,) = reader.failures()
    shown = "thread 'sum::carries' panicked at src/sum.rs:12:5:\nassertion `left == right` failed"
    assert failure == ToldFailure(
        Result(
            TestId("", "", "calc", "sum::carries"),
            Failed(shown.split("\n", maxsplit=1)[0], shown),
            path="src/sum.rs",
            line=12,
        ),
        "sum::carries",
        5,
    )
    assert not reader.in_run
    assert not reader.cut


@pytest.mark.parametrize(
    ("line", "binary"),
    [
        ("     Running unittests src/lib.rs (target/debug/deps/calc-0123456789abcdef)", "calc"),
        ("     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)", "it"),
        ("     Running target/debug/deps/old_calc-0123456789abcdef", "old_calc"),
        ("   Doc-tests calc", "calc"),
        ("something else", ""),
    ],
)
def test_one_name_in_two_binaries_is_two_tests(line: str, binary: str) -> None:
    (failure,) = told(
        line, "running 1 test", "test a ... FAILED", "test result: FAILED. 0 passed; 1 failed; 0 ignored;"
    )
    assert failure.result.test == TestId("", "", binary, "a")


def test_failures_of_a_run_that_passed_were_printed() -> None:
    assert not told("running 1 test", "test a ... FAILED", "test result: ok. 1 passed; 0 failed; 0 ignored;")
    assert not told("test a ... FAILED")


@pytest.mark.parametrize("end", ["##[error]Process completed with exit code 101.", "running 2 tests", ""])
def test_failures_of_a_run_that_died_stand(end: str) -> None:
    assert [one.printed for one in told("running 1 test", "test a ... FAILED", end)] == ["a"]


def test_a_result_behind_what_the_test_printed_and_a_test_that_should_panic_are_read() -> None:
    names = [
        one.printed
        for one in told("running 2 tests", "test a ... hi thereFAILED", "test b - should panic ... FAILED")
    ]
    assert names == ["a", "b"]


def test_the_old_spelling_of_a_panic_has_a_place_too() -> None:
    (failure,) = told(
        "running 1 test",
        "test a ... FAILED",
        "---- a stdout ----",
        "thread 'a' panicked at 'no', src/a.rs:3:9",
        "---- b stdout ----",
        "of another",
        "failures:",
        "    a",
    )
    assert (failure.result.path, failure.result.line) == ("src/a.rs", 3)


def test_foreign_lines_tell_nothing() -> None:
    assert not told(*foreign("cargo test"))


@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=30)), max_size=30))
def test_any_lines_are_read(lines: list[str]) -> None:
    told(*lines)
