"""jest names its failures below the file that failed, and once more in a summary."""

from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog.jest_log import JestLog
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Errored, Failed, TestId

LINES = OUTPUTS["jest"].splitlines()


def told(*lines: str) -> tuple[ToldFailure, ...]:
    return fed(JestLog(), lines).failures()


def test_a_failure_has_its_title_its_text_and_its_place() -> None:
    reader = fed(JestLog(), LINES)
    assert reader.counts == RunCounts(failed=1, skipped=1, passed=2)
    failure, errored = reader.failures()
    assert failure.printed == "sum \u203a carries"
    assert failure.result.test == TestId("", "", "sum carries", "sum carries")
    assert (failure.result.path, failure.result.line) == ("src/sum.test.js", 5)
    assert isinstance(failure.result.outcome, Failed)
    assert failure.result.outcome.message == "expect(received).toBe(expected)"
    assert errored.printed == "src/broken.test.js"
    assert errored.result.test == TestId("", "", "Test suite failed to run", "src/broken.test.js")
    assert isinstance(errored.result.outcome, Errored)
    assert not reader.in_run
    assert not reader.cut


def test_a_block_below_a_file_that_passed_is_no_failure() -> None:
    assert not told("PASS src/a.test.ts (5.1 s)", "  \u25cf sum \u203a carries", "", "    no")
    assert not told("  \u25cf sum \u203a carries", "", "    no")


def test_a_console_is_no_test_and_ends_the_one_before() -> None:
    lines = (
        "FAIL web src/a.test.tsx",
        "  \u25cf a",
        "    no",
        "  \u25cf Console",
        "    printed",
        "Time:  1 s",
    )
    (failure,) = told(*lines)
    assert failure.result.outcome == Failed("no", "    no")
    assert failure.result.path == "src/a.test.tsx"


def test_what_jest_says_next_is_no_part_of_a_failure() -> None:
    (failure,) = told("FAIL src/a.test.js", "  \u25cf a", "    no", "Snapshots:   0 total", "    other")
    assert failure.result.outcome == Failed("no", "    no")


def test_a_step_that_ends_ends_the_run() -> None:
    lines = (
        "FAIL src/a.test.js",
        "  \u25cf a",
        "    no",
        "##[error]Process completed with exit code 1.",
        "  \u25cf b",
        "    no",
    )
    assert [one.printed for one in told(*lines)] == ["a"]


def test_foreign_lines_tell_nothing() -> None:
    assert not told(*foreign("jest"))


@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=30)), max_size=30))
def test_any_lines_are_read(lines: list[str]) -> None:
    told(*lines)
