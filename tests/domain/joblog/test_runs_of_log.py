"""Several test runners in one log: all their failures, without those that a test of another run printed."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed

from app.domain.joblog import runs_of_log
from app.domain.joblog.runs_of_log import RunsOfLog

COMPOSED = (
    *("pytest", "unittest", "googletest", "ctest", "go test"),
    *("cargo test", "nextest", "jest", "vitest"),
)


def names(runs: RunsOfLog) -> list[str]:
    return [told.printed for told in runs.failures()]


def alone(runner: str) -> list[str]:
    return names(fed(RunsOfLog(), OUTPUTS[runner].splitlines()))


@pytest.mark.parametrize("runner", COMPOSED)
def test_each_runner_is_read(runner: str) -> None:
    assert alone(runner)


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(COMPOSED, 2)))
def test_two_runners_of_one_job_are_both_told(first: str, second: str) -> None:
    lines = [*OUTPUTS[first].splitlines(), *OUTPUTS[second].splitlines()]
    assert names(fed(RunsOfLog(), lines)) == alone(first) + alone(second)


SESSION = f"{' test session starts ':=^80}"
END = f"{' 1 passed in 0.02s ':=^80}"
STEP_END = "##[error]Process completed with exit code 1."


@pytest.mark.parametrize("runner", COMPOSED[1:])
def test_a_run_that_a_test_of_pytest_printed_is_not_the_jobs(runner: str) -> None:
    runs = fed(RunsOfLog(), [SESSION, *OUTPUTS[runner].splitlines(), END])
    assert names(runs) == []
    assert runs.printed == len(alone(runner))
    assert runs.counts is not None
    assert (runs.counts.failed, runs.counts.passed) == (0, 1)


@pytest.mark.parametrize("runner", COMPOSED[1:])
def test_a_run_after_one_that_never_came_to_its_end_is_the_jobs(runner: str) -> None:
    runs = fed(RunsOfLog(), [SESSION, "Aborted", *OUTPUTS[runner].splitlines(), STEP_END])
    assert (names(runs), runs.printed) == (alone(runner), 0)


@pytest.mark.parametrize("outer", ["googletest"])
def test_a_session_of_pytest_that_another_runners_test_printed_is_not_the_jobs(outer: str) -> None:
    before, mark, after = OUTPUTS[outer].partition("[  FAILED  ] Sum.Carries (0 ms)\n")
    lines = [*before.splitlines(), *OUTPUTS["pytest"].splitlines(), *(mark + after).splitlines()]
    assert names(fed(RunsOfLog(), lines)) == alone(outer)


def test_counts_of_all_runs_are_added_up() -> None:
    lines = [line for runner in ("pytest", "unittest") for line in OUTPUTS[runner].splitlines()]
    counts = fed(RunsOfLog(), lines).counts
    assert counts is not None
    assert (counts.failed, counts.errors, counts.passed) == (2, 1, 1)


def test_a_log_without_tests_has_no_counts() -> None:
    runs = fed(RunsOfLog(), ["a build", "and no test"])
    assert (names(runs), runs.counts, runs.cut) == ([], None, False)


def test_runs_are_remembered_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_of_log, "MAX_RUNS", 1)
    runs = fed(RunsOfLog(), [SESSION, END, SESSION, *OUTPUTS["unittest"].splitlines(), END])
    assert names(runs) == alone("unittest")


PIECES = st.sampled_from([line for output in OUTPUTS.values() for line in output.splitlines()])


@given(
    st.lists(st.one_of(PIECES, st.sampled_from([SESSION, END, STEP_END]), st.text(max_size=20)), max_size=40)
)
def test_any_lines_give_red_results_in_order(lines: list[str]) -> None:
    told = fed(RunsOfLog(), lines).failures()
    assert all(failure.result.outcome.kind.is_red for failure in told)
    assert [failure.line for failure in told] == sorted(failure.line for failure in told)
    assert all(1 <= failure.line <= len(lines) for failure in told)
