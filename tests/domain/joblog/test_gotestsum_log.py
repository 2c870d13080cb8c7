"""gotestsum's summary, reruns and count in a job log are read beside the output that it shows of go test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed

from app.domain.joblog import gotestsum_log
from app.domain.joblog.go_test_log import GoTestLog
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Failed, Result, TestId

END = "FAIL\texample.com/m/a\t0.002s"


def told(*lines: str) -> list[ToldFailure]:
    return list(fed(GoTestLog(), lines).failures())


def only(*lines: str) -> ToldFailure:
    (failure,) = told(*lines)
    return failure


def names(*lines: str) -> list[str]:
    return [failure.result.test.label for failure in told(*lines)]


DONE = "DONE 5 tests, 1 skipped, 2 failures, 1 error in 0.123s"
SUMMARY = [
    "=== Skipped",
    "=== SKIP: m/a TestSkipped (0.00s)",
    "    a_test.go:1: skipped",
    "=== Failed",
    "=== FAIL: a TestA/sub (0.00s)",
    "    a_test.go:12: want 2",
    "",
    "=== FAIL: main  (0.00s)",
    "FAIL\texample.com/m/main\t0.001s",
    "",
    DONE,
]


def test_the_summary_of_gotestsum_is_read() -> None:
    log = fed(GoTestLog(), SUMMARY)
    first, second = log.failures()
    assert first.result == Result(
        TestId("", "", "a", "TestA/sub"), Failed("Failed", "    a_test.go:12: want 2")
    )
    assert first.line == 5
    assert second.result.test == TestId("", "", "main", "Failure")
    assert log.counts == RunCounts(failed=2, errors=1, skipped=1, passed=2)


def test_what_the_summary_and_the_output_both_tell_is_told_once() -> None:
    shown = ["--- FAIL: TestA/sub (0.00s)", "    a_test.go:12: want 2", "FAIL", END]
    first, second = told(*shown, "FAIL\texample.com/m/main\t0.001s", *SUMMARY)
    assert first.result == Result(
        TestId("", "", "example.com/m/a", "TestA/sub"),
        Failed("Failed", "    a_test.go:12: want 2"),
        path="a_test.go",
        line=12,
    )
    assert (first.line, second.result.test.label) == (1, "example.com/m/main::Failure")
    other = [*shown[:-1], "FAIL\texample.com/m/aa\t0.1s"]
    assert names(*other, *SUMMARY)[:2] == ["example.com/m/aa::TestA/sub", "a::TestA/sub"]


def test_progress_of_gotestsum_names_the_package() -> None:
    for line in ("FAIL m/a.TestA (0.00s)", "FAIL  m/a.TestA (0.00s)", "##[group]FAIL m/a.TestA (0.00s)"):
        failure = only(
            "=== RUN   TestA",
            "    a_test.go:1: text",
            "--- FAIL: TestA (0.00s)",
            line,
            "DONE 1 tests, 1 failure",
        )
        assert failure.result.test == TestId("", "", "m/a", "TestA")
        assert failure.result.outcome == Failed("Failed", "    a_test.go:1: text")
    assert names("FAIL . .TestA (0.00s)", "=== FAIL: . TestB (0.00s)") == [".::TestB"]


RERUN = [
    "FAIL m/a.TestRare (0.00s)",
    "FAIL m/a.TestOften (0.00s)",
    "PASS m/a.TestGood (0.00s)",
    "DONE 3 tests, 2 failures in 0.1s",
    "PASS m/a.TestRare (re-run 1) (0.00s)",
    "FAIL m/a.TestOften (re-run 1) (0.00s)",
    "DONE 2 runs, 5 tests, 3 failures in 0.1s",
]


def test_reruns_are_attempts() -> None:
    log = fed(GoTestLog(), RERUN)
    (failure,) = log.failures()
    assert failure.result == Result(
        TestId("", "", "m/a", "TestOften"), Failed("Failed", ""), earlier=(Failed("Failed", ""),)
    )
    assert log.counts == RunCounts(failed=1, rerun=2, passed=2)


def test_a_summary_with_reruns_proves_what_passed_later() -> None:
    summary = [
        "=== Failed",
        "=== FAIL: m/a TestRare (0.00s)",
        "rare",
        "=== FAIL: m/a TestOften (0.00s)",
        "first",
        "=== FAIL: m/a TestOften (re-run 1) (0.00s)",
        "second",
    ]
    raw = ["--- FAIL: TestRare (0.00s)", "FAIL\texample.com/m/a\t0.1s"]
    failure = only(*raw, *summary, "DONE 2 runs, 5 tests, 3 failures in 0.1s")
    assert failure.result == Result(
        TestId("", "", "m/a", "TestOften"), Failed("Failed", "second"), earlier=(Failed("Failed", "first"),)
    )
    unproved = told(*raw, *summary)
    assert [failure.printed for failure in unproved] == ["TestRare", "TestOften"]


def test_a_package_that_failed_without_a_test_is_not_rerun() -> None:
    package = ["=== FAIL: m/a  (0.00s)", "FAIL\texample.com/m/a\t0.001s"]
    assert names(*package, "DONE 2 runs, 5 tests, 3 failures in 0.1s") == ["m/a::Failure"]


def test_a_later_call_that_passes_takes_nothing_away() -> None:
    first = ["FAIL m/a.TestA (0.00s)", "DONE 1 tests, 1 failure in 0.1s"]
    again = ["FAIL m/a.TestA (0.00s)", "DONE 1 tests, 1 failure in 0.1s", "PASS m/a.TestA (re-run 1) (0.00s)"]
    last = "DONE 2 runs, 2 tests, 1 failure in 0.1s"
    log = fed(GoTestLog(), [*first, *again, last, "DONE 4 tests in 0.1s"])
    assert [failure.result.test.name for failure in log.failures()] == ["TestA"]
    assert log.counts == RunCounts(failed=1, passed=5, rerun=1)
    assert names(*first, "##[group]Run again", *again, last) == ["m/a::TestA"]


def test_counts_of_steps_add_up() -> None:
    log = fed(GoTestLog(), ["DONE 4 tests in 0.1s", "##[group]Run again", "DONE 3 tests, 1 skipped in 0.1s"])
    assert log.counts == RunCounts(passed=6, skipped=1)
    log.failures()
    assert log.counts == RunCounts(passed=6, skipped=1)


def test_lines_of_a_run_end_the_text_of_a_summary() -> None:
    assert names("=== FAIL: m/a TestA (0.00s)", "=== RUN   TestB", "--- FAIL: TestB (0.00s)", END) == [
        "m/a::TestA",
        "example.com/m/a::TestB",
    ]


def test_too_many_attempts_are_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gotestsum_log, "MAX_ATTEMPTS", 1)
    log = fed(GoTestLog(), ["FAIL m/a.TestA (0.00s)", "FAIL m/a.TestB (0.00s)"])
    assert len(log.failures()) == 1
    assert log.cut


LINES = st.sampled_from([*OUTPUTS["go test"].splitlines(), *RERUN, *SUMMARY])


@given(st.lists(st.one_of(LINES, st.text(max_size=30)), max_size=40))
def test_any_lines_give_failures_that_are_red(lines: list[str]) -> None:
    failures = told(*lines)
    assert all(failure.result.outcome.kind.is_red for failure in failures)
    assert all(1 <= failure.line <= len(lines) for failure in failures)
    assert len({failure.result.test for failure in failures}) == len(failures)
