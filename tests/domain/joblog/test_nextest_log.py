"""cargo-nextest's statuses: a failure is one that no later attempt took back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog import nextest_log, nextest_test
from app.domain.joblog.nextest_log import NextestLog
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Errored, Failed, OutcomeKind, TestId

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


LINE = "\u2500" * 12
NO_COLUMN = "(\u2500\u2500\u2500)"


def names(*lines: str) -> list[str]:
    return [one.printed for one in told(BEGIN, *lines)]


def block(*lines: str) -> list[str]:
    return ["  stderr \u2500\u2500\u2500", *(f"    {line}" for line in lines), ""]


def panic(line: int, words: str) -> list[str]:
    return block(f"thread 'a' (77) panicked at src/a.rs:{line}:9:", words)


def test_a_test_that_passed_in_a_later_attempt_has_not_failed() -> None:
    lines = (
        BEGIN,
        f"  TRY 1 FAIL [   0.004s] {NO_COLUMN} calc a",
        "  TRY 2 PASS [   0.004s] (1/3) calc a",
        f"  TRY 1 SEGV [   0.004s] {NO_COLUMN} calc b",
        f"  TRY 2 FAIL [   0.004s] {NO_COLUMN} calc b",
        "     Summary [   0.100s] 2 tests run: 2 passed (2 flaky), 0 skipped",
        "   FLAKY 2/3 [   0.004s] (1/3) calc a",
        "   FLAKY 3/3 [   0.004s] (2/3) calc b",
    )
    reader = fed(NextestLog(), lines)
    assert not reader.failures()
    assert reader.counts == RunCounts(passed=2, rerun=2)


def test_failed_attempts_before_the_last_are_earlier_ones() -> None:
    lines = (
        f"  TRY 1 FAIL [   0.004s] {NO_COLUMN} calc a",
        *panic(3, "first"),
        f" TRY 2 FL+LK [   0.004s] {NO_COLUMN} calc a",
        *panic(4, "second"),
        f"TRY 3 TRMNTG [>  2.000s] {NO_COLUMN} calc a",
        "   TRY 3 TMT [   0.004s] (1/1) calc a",
        LINE,
        "     Summary [   0.100s] 1 test run: 0 passed, 1 timed out, 0 skipped",
        "   TRY 3 TMT [   0.004s] (1/1) calc a",
        *block("(test timed out)"),
        "error: test run failed",
    )
    (failure,) = told(BEGIN, *lines)
    assert failure.line == 2
    assert failure.result.outcome == Failed("test timed out", "(test timed out)")
    assert [one.message for one in failure.result.earlier if isinstance(one, Failed)] == ["first", "second"]


def test_only_a_later_attempt_takes_a_failure_back() -> None:
    assert names("        FAIL [   0.004s] calc a", "        PASS [   0.004s] calc b") == ["calc a"]
    stress = ("        FAIL [   0.004s] [1/2] (1/1) calc a", "        PASS [   0.004s] [2/2] (1/1) calc a")
    assert names(*stress) == ["calc a"]


def test_a_flaky_test_that_is_configured_to_fail_has_its_attempts() -> None:
    lines = (
        BEGIN,
        f"  TRY 1 FAIL [   0.004s] {NO_COLUMN} calc a",
        *panic(3, "first"),
        "  TRY 2 PASS [   0.004s] (1/1) calc a",
        "     Summary [   0.100s] 1 test run: 0 passed, 1 failed, 0 skipped",
        " FLKY-FL 2/2 [   0.004s] (1/1) calc a",
    )
    (failure,) = told(*lines)
    assert [one.kind for one in failure.result.earlier] == [OutcomeKind.FAILED, OutcomeKind.PASSED]
    assert isinstance(failure.result.outcome, Failed)
    assert failure.result.outcome.message.endswith("configured to fail if flaky")
    assert (failure.result.path, failure.result.line) == ("src/a.rs", 3)
    (unseen,) = told(BEGIN, " FLKY-FL 2/2 [   0.004s] (1/1) calc a")
    assert (unseen.line, unseen.result.path) == (2, None)


@pytest.mark.parametrize(
    "status",
    [
        *("        FAIL", " FAIL + LEAK", "       XFAIL", "   LEAK-FAIL", "     TIMEOUT", "     SIGSEGV"),
        *("       ABORT", "ABORT SIG 35", "  TRY 2 ABRT", "TRY 2 LKFAIL", "TRY 2 SIG 35", "TRY 12 SIGSEGV"),
    ],
)
def test_a_status_of_failure_names_a_failed_test(status: str) -> None:
    assert names(f"{status} [   0.004s] (  1/100) calc::it m::a") == ["calc::it m::a"]


@pytest.mark.parametrize(
    "status",
    [
        *("        PASS", "        LEAK", "TIMEOUT-PASS", "  TRY 1 PASS", "TRY 2 TMPASS", " SLOW + LEAK"),
        *("        SKIP", " SLOW+TMPASS", "  TRY 1 SLOW", "            FAIL", "      FAILED"),
    ],
)
def test_another_status_names_none(status: str) -> None:
    assert not names(f"{status} [   0.004s] (  1/100) calc::it m::a")


def test_news_of_a_test_that_runs_is_no_result() -> None:
    lines = (
        "        SLOW [> 60.000s] (1/3) calc a",
        f" TERMINATING [>120.000s] {NO_COLUMN} calc a",
        "       START [         ] (2/3) calc b",
        "[not a status",
        "nor this [   0.004s] calc b",
    )
    assert not names(*lines)


def test_a_test_that_could_not_be_started_is_an_error() -> None:
    (failure,) = told(BEGIN, "       XFAIL [   0.004s] (1/1) calc a")
    assert failure.result.outcome == Errored("nextest says XFAIL", "")


def test_a_step_that_ends_ends_the_run() -> None:
    end = "##[error]Process completed with exit code 100."
    late = "        FAIL [   0.004s] calc late"
    assert names("     SIGABRT [   0.004s] calc c", end, late) == ["calc c"]


def test_what_a_test_printed_is_its_text_and_no_status() -> None:
    lines = (
        "        FAIL [   0.004s] calc a",
        *block("        FAIL [   0.004s] calc nested", "", "Error: no"),
        "  Cancelling due to test failure: 1 test still running",
        "    below",
        "        PASS [   0.004s] calc b",
        *block("of b"),
    )
    (failure,) = told(BEGIN, *lines)
    text = "        FAIL [   0.004s] calc nested\n\nError: no"
    assert failure.result.outcome == Failed("Error: no", text)


def test_older_versions_print_text_at_the_margin() -> None:
    lines = (
        "        FAIL [   0.004s] calc a",
        "",
        "--- STDOUT:              calc a ---",
        "    indented",
        "--- STDERR:              calc a ---",
        "thread 'a' panicked at 'no', src/a.rs:3:9",
        "   Canceling due to test failure: 1 test still running",
        "no text",
    )
    (failure,) = told(BEGIN, *lines)
    assert failure.result.outcome == Failed("no", "    indented\nthread 'a' panicked at 'no', src/a.rs:3:9")


def test_failures_that_only_the_end_tells_are_read() -> None:
    lines = (
        LINE,
        "     Summary [   0.100s] 2 tests run: 1 passed, 1 exec failed, 0 skipped",
        "        FAIL [   0.004s] (1/2) calc a",
        *panic(3, "no"),
        "warning: 1/2 tests were not run",
        "        FAIL [   0.004s] (2/2) calc b",
    )
    assert names(*lines) == ["calc a", "calc b"]


def test_a_run_ends_below_its_summary_where_other_words_begin() -> None:
    summary = "     Summary [   0.100s] 1 test run: 1 passed, 0 skipped"
    reader = fed(NextestLog(), [BEGIN, "not of the end", summary, "", LINE, "+ cargo doc"])
    assert not reader.in_run
    assert not names(summary, "+ cargo doc", "        FAIL [   0.004s] calc late")


def test_each_round_of_a_stress_run_counts() -> None:
    lines = (
        BEGIN,
        "        FAIL [   0.004s] [1/2] (1/1) calc a",
        *panic(3, "no"),
        " Stress test [   0.021s] iteration 1/2: 1 test run: 0 passed, 1 failed, 6 skipped",
        "        FAIL [   0.004s] [2/2] (1/1) calc a",
        *panic(4, "again"),
        " Stress test [   0.021s] iteration 2/2: 1 test run: 0 passed, 1 failed, 6 skipped",
        "     Summary [   0.034s] 2/2 stress run iterations: 0 passed, 2 failed",
    )
    reader = fed(NextestLog(), lines)
    assert reader.counts == RunCounts(failed=2, skipped=12)
    (failure,) = reader.failures()
    assert isinstance(failure.result.outcome, Failed)
    assert "again" in failure.result.outcome.text


def test_what_is_over_the_limits_is_said_or_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nextest_log, "MAX_TOLD", 1)
    monkeypatch.setattr(nextest_test, "MAX_ATTEMPTS", 2)
    lines = [BEGIN, *(f"  TRY {at} FAIL [   0.004s] {NO_COLUMN} calc a" for at in (1, 2, 3))]
    (failure,) = told(*lines)
    assert len(failure.result.earlier) == 1
    reader = fed(NextestLog(), [*lines, "        FAIL [   0.004s] calc b"])
    assert len(reader.failures()) == 1
    assert reader.cut


def test_two_runs_of_one_log_both_count() -> None:
    reader = fed(NextestLog(), [*LINES, *LINES])
    assert reader.counts == RunCounts(failed=2, passed=4, skipped=2)
    assert [one.result.outcome.kind for one in reader.failures()] == [OutcomeKind.FAILED]


def test_foreign_lines_tell_nothing() -> None:
    assert not told(*foreign("nextest"))


@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=30)), max_size=30))
def test_any_lines_are_read(lines: list[str]) -> None:
    told(*lines)
