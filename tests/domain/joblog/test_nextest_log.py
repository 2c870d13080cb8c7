"""cargo-nextest's statuses: a failure is one that no later attempt took back."""

from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog.nextest_log import NextestLog
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Failed, OutcomeKind, TestId

LINES = OUTPUTS["nextest"].splitlines()
BEGIN = "    Starting 3 tests across 1 binary"


def told(*lines: str) -> tuple[ToldFailure, ...]:
    return fed(NextestLog(), lines).failures()


def test_a_failure_has_its_text_its_place_and_its_binary() -> None:
    reader = fed(NextestLog(), LINES)
    assert reader.counts == RunCounts(failed=1, passed=2, skipped=1)
    (failure,) = reader.failures()
    assert failure.printed == "calc sum::carries"
    assert failure.result.test == TestId("", "", "calc", "sum::carries")
    assert (failure.result.path, failure.result.line, failure.line) == ("src/sum.rs", 12, 3)
    assert isinstance(failure.result.outcome, Failed)
    assert "assertion `left == right` failed" in failure.result.outcome.text
    assert not reader.in_run
    assert not reader.cut


def test_a_test_that_passed_in_a_later_attempt_has_not_failed() -> None:
    lines = (
        BEGIN,
        "  TRY 1 FAIL [   0.004s] calc a",
        "  TRY 2 PASS [   0.004s] calc a",
        "  TRY 1 FAIL [   0.004s] calc b",
        "   FLAKY 2/3 [   0.004s] calc b",
        "  TRY 1 FAIL [   0.004s] calc c",
        "  TRY 2 SIGSEGV [   0.004s] calc c",
    )
    (failure,) = told(*lines)
    assert failure.printed == "calc c"
    assert failure.result.outcome == Failed("nextest says FAIL", "")


def test_slow_and_passed_tests_are_no_failures_and_times_and_signals_are() -> None:
    lines = (
        BEGIN,
        "        SLOW [> 60.000s] (1/3) calc a",
        "     TIMEOUT [  60.004s] (2/3) calc::it b",
        "      SIGABRT [   0.004s] (3/3) calc c",
        "        PASS [   0.004s] calc d",
        "##[error]Process completed with exit code 100.",
        "        FAIL [   0.004s] calc late",
    )
    assert [one.printed for one in told(*lines)] == ["calc::it b", "calc c"]


def test_two_runs_of_one_log_both_count() -> None:
    reader = fed(NextestLog(), [*LINES, *LINES])
    assert reader.counts == RunCounts(failed=2, passed=4, skipped=2)
    assert [one.result.outcome.kind for one in reader.failures()] == [OutcomeKind.FAILED]


def test_foreign_lines_tell_nothing() -> None:
    assert not told(*foreign("nextest"))


@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=30)), max_size=30))
def test_any_lines_are_read(lines: list[str]) -> None:
    told(*lines)
