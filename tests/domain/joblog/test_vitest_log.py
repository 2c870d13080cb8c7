"""vitest names its failures by file, suites and test."""

from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.vitest_log import MAX_SHARED, VitestLog
from app.domain.outcome import Errored, Failed, TestId

LINES = OUTPUTS["vitest"].splitlines()
BEGIN = " RUN  v3.2.4 /home/runner/work/a/a"


def told(*lines: str) -> tuple[ToldFailure, ...]:
    return fed(VitestLog(), lines).failures()


def test_a_failure_has_its_names_its_text_and_its_place() -> None:
    reader = fed(VitestLog(), LINES)
    assert reader.counts == RunCounts(failed=1, passed=5, skipped=1)
    errored, failure = reader.failures()
    assert (errored.printed, errored.result.test) == (
        "src/b.test.ts",
        TestId("", "", "src/b.test.ts", "src/b.test.ts"),
    )
    assert isinstance(errored.result.outcome, Errored)
    assert failure.printed == "src/a.test.ts > sum > carries"
    assert failure.result.test == TestId("", "", "src/a.test.ts", "sum > carries")
    assert (failure.result.path, failure.result.line) == ("src/a.test.ts", 12)
    assert isinstance(failure.result.outcome, Failed)
    assert failure.result.outcome.message == "AssertionError: expected 1 to be 2"
    assert not reader.in_run
    assert not reader.cut


def test_tests_above_one_error_share_it() -> None:
    lines = (
        BEGIN,
        " FAIL  |web| src/a.test.ts > a",
        " FAIL  src/a.test.ts > b",
        "Error: no",
        " FAIL  src/a.test.ts > c",
        "Error: c",
    )
    first, second, third = told(*lines)
    assert first.result.outcome == second.result.outcome == Failed("Error: no", "Error: no")
    assert third.result.outcome == Failed("Error: c", "Error: c")
    assert first.result.test == TestId("", "", "src/a.test.ts", "a")


def test_without_a_run_nothing_is_a_failure() -> None:
    assert not told(" FAIL  src/a.test.ts > a", "Error: no")
    assert not told(BEGIN, "   Duration  1.00s", " FAIL  src/a.test.ts > a", "Error: no")


def test_names_that_share_one_error_are_bounded() -> None:
    names = [f" FAIL  src/a.test.ts > test {number}" for number in range(MAX_SHARED + 5)]
    assert len(told(BEGIN, *names, "Error: no")) == MAX_SHARED


def test_foreign_lines_tell_nothing() -> None:
    assert not told(*foreign("vitest"))


@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=30)), max_size=30))
def test_any_lines_are_read(lines: list[str]) -> None:
    told(*lines)
