"""`cargo test` names its failures between the beginning of a run and its result."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog import cargo_run
from app.domain.joblog.cargo_test_log import CargoTestLog
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Errored, Failed, Result, TestId

LINES = OUTPUTS["cargo test"].splitlines()


def told(*lines: str) -> tuple[ToldFailure, ...]:
    return fed(CargoTestLog(), lines).failures()


def names(*lines: str) -> list[str]:
    return [one.printed for one in told(*lines)]


def result(passed: int, failed: int) -> str:
    word = "FAILED" if failed else "ok"
    return f"test result: {word}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out"


def test_a_failure_has_its_text_its_place_and_its_binary() -> None:
    reader = fed(CargoTestLog(), LINES)
    assert reader.counts == RunCounts(failed=1, passed=1, skipped=1)
    (failure,) = reader.failures()
    shown = "thread 'sum::carries' panicked at src/sum.rs:12:5:\nassertion `left == right` failed"
    assert failure == ToldFailure(
        Result(
            TestId("", "", "calc", "sum::carries"),
            Failed("assertion `left == right` failed", shown),
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
        ("     Running tests\\it.rs (target\\debug\\deps\\it-0123456789abcdef.exe)", "it"),
        ("     Running target/debug/deps/old_calc-0123456789abcdef", "old_calc"),
        ("   Doc-tests calc", "calc"),
        ("     Running unittests src/lib.rs (/a dir/target/debug/deps/calc-0123456789abcdef)", "calc"),
        ("     Running `target/debug/calc`", ""),
    ],
)
def test_one_name_in_two_binaries_is_two_tests(line: str, binary: str) -> None:
    (failure,) = told(line, "running 1 test", "test a ... FAILED", result(0, 1))
    assert failure.result.test == TestId("", "", binary, "a")


def test_the_binary_of_one_step_is_not_that_of_the_next() -> None:
    binary = "     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)"
    run = ("running 1 test", "test a ... FAILED", result(0, 1))
    first, second = told(binary, *run, STEP_END, *run)
    assert (first.result.test.classname, second.result.test.classname) == ("it", "")
    (only,) = told(binary, "running 2 tests", "test a ... ok", STEP_END, *run)
    assert only.result.test.classname == ""


def test_failures_of_a_run_that_passed_were_printed() -> None:
    assert not told("running 1 test", "test a ... FAILED", result(1, 0))
    assert not told("test a ... FAILED")


def test_a_result_that_a_test_printed_is_not_the_runs() -> None:
    lines = (
        "running 3 tests",
        "test a ... FAILED",
        "test b ... ok",
        "test c ... FAILED",
        "",
        "failures:",
        "",
        "---- a stdout ----",
        "test fake ... FAILED",
        "failures:",
        "---- b stdout ----",
        "     Running tests/it.rs (target/debug/deps/it-0123456789abcdef)",
        "running 1 test",
        "test result: no",
        result(1, 0),
        "thread 'a' panicked at src/a.rs:3:9:",
        "after",
        "",
        "---- c stdout ----",
        "",
        "failures:",
        "    a",
        "    c",
        "",
        result(1, 2),
    )
    reader = fed(CargoTestLog(), lines)
    assert reader.counts == RunCounts(failed=2, passed=1)
    first, second = reader.failures()
    assert (first.printed, second.printed) == ("a", "c")
    assert isinstance(first.result.outcome, Failed)
    assert first.result.outcome.message == "after"
    assert "running 1 test" in first.result.outcome.text
    assert second.result.outcome == Failed("", "")


def test_a_result_that_stands_behind_what_another_test_printed_is_in_the_list() -> None:
    lines = (
        "running 2 tests",
        "raw outtest a ... FAILED",
        "test b ... ok",
        "failures:",
        "    a",
        result(1, 1),
    )
    assert names(*lines) == ["a"]


def test_a_quiet_run_names_its_failures_in_the_list_alone() -> None:
    lines = (
        *("running 2 tests", ".F", "failures:", "", "---- a stdout ----", "no", "", "failures:", "    a", ""),
        result(1, 1),
    )
    (failure,) = told(*lines)
    assert (failure.printed, failure.line, failure.result.outcome) == ("a", 5, Failed("no", "no"))


def test_a_run_that_stopped_at_its_first_failure_is_known_by_its_list() -> None:
    reader = fed(CargoTestLog(), ["running 9 tests", "test a ... FAILED", "failures:", "    a", result(0, 1)])
    assert reader.counts == RunCounts(failed=1)


def test_without_a_list_the_lines_of_results_decide() -> None:
    assert names("running 1 test", "test a ... FAILED", result(0, 1)) == ["a"]


def test_an_ignored_test_and_a_duration_are_no_failures() -> None:
    lines = (
        "running 2 tests (shuffle seed: 42)",
        "test a ... ignored, slow one",
        "test b has been running for over 60 seconds",
        "test  ... FAILED",
        "test b ... ok",
    )
    assert not told(*lines)


STEP_END = "##[error]Process completed with exit code 101."
BINARY = "     Running tests/b.rs (target/debug/deps/b-0123456789abcdef)"


@pytest.mark.parametrize("end", [STEP_END, "running 2 tests", BINARY, ""])
def test_failures_of_a_run_that_died_stand(end: str) -> None:
    assert names("running 1 test", "test a ... FAILED", end) == ["a"]


def died(how: str) -> str:
    return f"  process didn't exit successfully: `/w/a-0123456789abcdef` ({how})"


SEGV = "signal: 11, SIGSEGV: invalid memory reference"


def test_the_one_test_that_ran_when_the_process_died_is_an_error() -> None:
    lines = (
        *("running 2 tests", "test a ... ok", "test b ... error: test failed, to rerun pass `--lib`"),
        *("", "Caused by:", died(SEGV)),
    )
    reader = fed(CargoTestLog(), lines)
    assert (reader.in_run, reader.counts) == (False, None)
    (failure,) = reader.failures()
    assert failure.line == 3
    assert failure.result.outcome == Errored(f"the process ended while this test ran: ({SEGV})", "")


def test_the_thread_that_overflowed_its_stack_is_the_test_that_ran() -> None:
    overflow = "thread 'm::deep' (7) has overflowed its stack"
    aborted = died("signal: 6, SIGABRT: process abort signal")
    assert names("running 2 tests", "test m::a ... ok", overflow, aborted) == ["m::deep"]
    assert not told("running 2 tests", "thread 'worker 1' has overflowed its stack", aborted)


def test_a_shells_word_of_the_death_is_one_too() -> None:
    lines = (
        "running 2 tests",
        "test a ... printed",
        "more",
        "run.sh: line 3: 77 Segmentation fault (core dumped)",
    )
    (failure,) = told(*lines)
    assert isinstance(failure.result.outcome, Errored)
    assert failure.result.outcome.text == "more"


@pytest.mark.parametrize("how", ["signal: 9, SIGKILL: kill", "exit status: 143", "unknown"])
def test_a_kill_from_outside_says_nothing_against_a_test(how: str) -> None:
    assert not told("running 2 tests", "test a ... ", died(how))


def test_tests_without_a_result_are_unknown() -> None:
    assert not told("running 2 tests", "test a ... ok", died(SEGV))


@pytest.mark.parametrize("end", ["FAILED", "raw outFAILED"])
def test_what_a_test_prints_between_its_name_and_its_result_is_its_text(end: str) -> None:
    lines = (
        "running 3 tests",
        "test a ... ",
        "running 1 test",
        "hi",
        end,
        "test b ... ",
        "x",
        "ok",
        "test c ... ok",
    )
    (failure,) = told(*lines)
    assert failure.result.outcome == Failed("running 1 test", "running 1 test\nhi")


def test_the_name_of_a_test_ends_before_its_kind() -> None:
    lines = (
        *("running 2 tests", "test b - should panic ... FAILED"),
        "test src/lib.rs - cf (line 10) - compile fail ... FAILED",
    )
    assert names(*lines) == ["b", "src/lib.rs - cf (line 10)"]


def test_what_is_over_the_limit_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cargo_run, "MAX_TOLD", 1)
    two = ("running 3 tests", "test a ... FAILED", "test b ... FAILED", "test c ... ok", "test d ... ok")
    reader = fed(CargoTestLog(), two)
    assert [one.printed for one in reader.failures()] == ["a"]
    assert reader.cut
    sections = (
        "failures:",
        "---- x stdout ----",
        "---- y stdout ----",
        "of y",
        "failures:",
        "    x",
        "    y",
    )
    reader = fed(CargoTestLog(), ["running 3 tests", *sections, result(2, 1)])
    assert [one.printed for one in reader.failures()] == ["x"]
    assert reader.cut


def test_foreign_lines_tell_nothing() -> None:
    assert not told(*foreign("cargo test"))


@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=30)), max_size=30))
def test_any_lines_are_read(lines: list[str]) -> None:
    told(*lines)
