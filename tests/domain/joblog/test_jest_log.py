"""jest names its failures below the file that failed, and once more in a summary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog import jest_log
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


@pytest.mark.parametrize(
    ("head", "file"),
    [
        ("FAIL src/a.test.js", "src/a.test.js"),
        ("FAIL src/a.test.mts (5.123 s, 120 MB heap size)", "src/a.test.mts"),
        ("FAIL web ui src/a.test.js", "src/a.test.js"),
        (" FAIL  src/a.test.js (5.1 s)", "src/a.test.js"),
        (" FAIL   web: ui  src/a.test.js", "src/a.test.js"),
    ],
)
def test_a_file_is_named_with_and_without_colours_and_projects(head: str, file: str) -> None:
    (failure,) = told(head, "  \u25cf a", "    no")
    assert failure.result.path == file


@pytest.mark.parametrize(
    "head",
    [
        *("FAIL\texample.com/m/sum\t0.002s", "FAIL  src/a.test.ts > loads b.js", "FAIL src/sum_test.go"),
        *(" FAIL  src/a.test.ts [ src/a.test.ts ]", " FAIL  |web| src/a.test.ts > loads b.js"),
    ],
)
def test_other_runners_name_no_file_of_jest(head: str) -> None:
    assert not told(head, "  \u25cf a", "    no")


def test_attempts_that_failed_above_a_file_are_earlier_ones() -> None:
    lines = (
        *(
            " LOGGING RETRY ERRORS  suite never",
            " RETRY 1 ",
            "",
            "    first",
            "",
            " RETRY 2 ",
            "",
            "    second",
        ),
        *(" LOGGING RETRY ERRORS  suite flaky", " RETRY 1 ", "", "    once", ""),
        *("FAIL src/a.test.js", "  \u25cf suite \u203a never", "", "    third", ""),
        *(" LOGGING RETRY ERRORS  suite never", " RETRY 1 ", "", "    of another file"),
        *("PASS src/b.test.js", "FAIL src/c.test.js", "  \u25cf suite \u203a other", "    no"),
    )
    never, other = told(*lines)
    assert never.result.outcome == Failed("third", "    third")
    assert never.result.earlier == (Failed("first", "    first"), Failed("second", "    second"))
    assert (other.printed, other.result.earlier) == ("suite \u203a other", ())


def test_retries_are_kept_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jest_log, "MAX_RETRIED", 1)
    retries = (" LOGGING RETRY ERRORS  a", " RETRY 1 ", "    first", " RETRY 2 ", "    second")
    (failure,) = told(*retries, "FAIL src/a.test.js", "  \u25cf a", "    no")
    assert failure.result.earlier == (Failed("first", "    first"),)


@pytest.mark.parametrize("line", [" RETRY 1 ", '  \u25cf  process.exit called with "3"', " FAIL  no file"])
def test_a_line_that_names_no_test_tells_none(line: str) -> None:
    assert not told(line, "PASS src/a.test.js", line, "    no", "FAIL src/b.test.js", line, "    no")


@pytest.mark.parametrize("line", [" \u203a 1 snapshot failed.", "  console.log", "Snapshot Summary"])
def test_snapshots_and_what_the_next_file_prints_are_no_part_of_a_failure(line: str) -> None:
    (failure,) = told("FAIL src/a.test.js", "  \u25cf a", "    no", "", line, "    other")
    assert failure.result.outcome == Failed("no", "    no")


def test_the_place_is_not_in_a_library() -> None:
    (failure,) = told(
        *("FAIL src/a.test.js", "  \u25cf a", "    thrown: 1"),
        "      at _getError (node_modules/jest-circus/build/jestAdapterInit.js:1985:12)",
        "      at /w/node_modules/x/y.js:1:2",
        "          at Array.map (<anonymous>)",
        "          at test (src/a.test.js:10:3)",
    )
    assert (failure.result.path, failure.result.line) == ("src/a.test.js", 10)


def test_two_runs_of_one_log_both_count() -> None:
    reader = fed(JestLog(), [*LINES, *LINES])
    assert reader.counts == RunCounts(failed=2, skipped=2, passed=4)
    assert len(reader.failures()) == 2


def test_foreign_lines_tell_nothing() -> None:
    assert not told(*foreign("jest"))


@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=30)), max_size=30))
def test_any_lines_are_read(lines: list[str]) -> None:
    told(*lines)
