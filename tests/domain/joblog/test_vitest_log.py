"""vitest names its failures by file, suites and test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog import vitest_marks
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


BORDER = "\u23af" * 6
TESTS = f"{BORDER} Failed Tests 2 {BORDER}"
NEXT = f"{BORDER}[1/2]\u23af"
CROSS, TICK, ARROW, INTO = "\u00d7", "\u2713", "\u276f", "\u2192"
DURATION = "   Duration  1.00s (transform 107ms)"


def names(*lines: str) -> list[str]:
    return [one.printed for one in told(BEGIN, *lines)]


def test_tests_above_one_error_share_it() -> None:
    lines = (
        BEGIN,
        TESTS,
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


def test_a_test_that_is_named_for_each_of_its_errors_is_one() -> None:
    one = " FAIL  src/a.test.ts > a"
    (failure,) = told(BEGIN, TESTS, one, one, "Error: no", NEXT, one, "Error: other", NEXT)
    assert failure.result.outcome == Failed("Error: no", "Error: no\n\nError: other")


@pytest.mark.parametrize("project", ["", "|web| ", "|two words| ", " web  ", " two words  "])
def test_a_project_is_no_part_of_the_name(project: str) -> None:
    (failure,) = told(BEGIN, TESTS, f" FAIL  {project}src/a.test.ts > loads > b.js", "Error: no")
    assert failure.result.test == TestId("", "", "src/a.test.ts", "loads > b.js")


def test_a_line_that_a_test_printed_is_no_failure() -> None:
    fake = " FAIL  src/fake.test.ts > fake"
    unhandled = f"{BORDER} Unhandled Errors {BORDER}"
    assert not names(fake, "Error: no", unhandled, fake, "Error: no", DURATION)


def test_an_error_of_a_suites_set_up_is_no_failure_of_a_test() -> None:
    (errored,) = told(
        BEGIN, f"{BORDER} Failed Suites 1 {BORDER}", " FAIL  src/a.test.ts > h", "Error: in beforeAll"
    )
    assert errored.result.test == TestId("", "", "src/a.test.ts", "h")
    assert errored.result.outcome == Errored("Error: in beforeAll", "Error: in beforeAll")


def test_a_border_inside_an_error_does_not_end_it_and_the_place_is_not_in_a_library() -> None:
    lines = (
        *(
            BEGIN,
            TESTS,
            "no name yet",
            " FAIL  src/a.test.ts > a",
            "Error: no",
            BORDER,
            "Serialized Error: { code: 1 }",
        ),
        " \u276f load node_modules/vite/dist/node/chunks/config.js:22907:33",
        " \u276f Module.f src/a.ts:12:5",
        NEXT,
        "no text",
    )
    (failure,) = told(*lines)
    assert (failure.result.path, failure.result.line) == ("src/a.ts", 12)
    assert isinstance(failure.result.outcome, Failed)
    assert "Serialized Error" in failure.result.outcome.text
    assert "no text" not in failure.result.outcome.text


def test_unhandled_errors_are_counted_and_blame_no_test() -> None:
    lines = (
        *(BEGIN, f"{BORDER} Unhandled Errors {BORDER}", "Error: unhandled"),
        *("      Tests  5 passed | 3 skipped | 1 todo (9)", "     Errors  2 errors", DURATION),
    )
    reader = fed(VitestLog(), lines)
    assert reader.counts == RunCounts(passed=5, skipped=4, errors=2)
    assert not reader.failures()


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ([f" {CROSS} src/a.test.ts > sum > adds 10ms"], ["src/a.test.ts > sum > adds"]),
        ([f" {CROSS} |web| src/a.test.ts > sum > adds"], ["src/a.test.ts > sum > adds"]),
        (
            [f" {ARROW} src/a.test.ts (6 tests | 1 failed) 12ms", f"   {CROSS} sum > adds 7ms"],
            ["src/a.test.ts > sum > adds"],
        ),
        ([f" {ARROW}  web  src/a.test.ts (6 tests) 12ms", f"   {CROSS} adds 7ms"], ["src/a.test.ts > adds"]),
        (
            [f" {ARROW} src/a.test.ts  (6 tests) 12ms", f"   {ARROW} src/a.test.ts > adds"],
            ["src/a.test.ts > adds"],
        ),
        ([f" {ARROW} src/a.test.ts (6 tests) 12ms", f"     {CROSS} adds 7ms"], []),
        ([f" {CROSS} adds 7ms", f" {TICK} src/a.test.ts > adds 7ms"], []),
    ],
)
def test_marks_with_a_whole_name_count_where_a_run_was_cut_off(lines: list[str], named: list[str]) -> None:
    assert names(*lines) == named
    assert names(*lines, "##[error]The operation was canceled.", STEP_END) == named
    assert names(*lines, DURATION) == []


STEP_END = "##[error]Process completed with exit code 1."


def test_a_mark_has_the_last_of_its_errors_and_a_test_in_the_list_is_not_told_twice() -> None:
    mark = (
        f" {CROSS} src/a.test.ts > a 1ms",
        f"   {INTO} no",
        "more",
        f"   {INTO} then",
        " other",
        f"   {INTO} last",
    )
    (failure,) = told(BEGIN, *mark)
    assert failure.result.outcome == Failed("last", "last")
    (listed,) = told(BEGIN, *mark, TESTS, " FAIL  src/a.test.ts > a", "Error: no", STEP_END)
    assert listed.result.outcome == Failed("Error: no", "Error: no")
    (silent,) = told(BEGIN, f"   {INTO} of no test", f" {CROSS} src/a.test.ts > a 1ms")
    assert silent.result.outcome == Failed("", "")


def test_retries_that_failed_are_earlier_attempts() -> None:
    marks = (
        f" {CROSS} src/a.test.ts > a 1ms (retry x2)",
        f"   {INTO} one",
        f"   {INTO} two",
        f"   {INTO} three",
    )
    listed = (TESTS, " FAIL  src/a.test.ts > a", "Error: three", DURATION)
    (failure,) = told(BEGIN, *marks, *listed)
    assert failure.result.earlier == (Failed("one", "one"), Failed("two", "two"))
    (unexplained,) = told(BEGIN, marks[0], *listed)
    assert unexplained.result.earlier == (Failed("", ""), Failed("", ""))


def test_tests_that_passed_in_a_later_attempt_are_counted() -> None:
    lines = (f" {TICK} src/a.test.ts > a 7ms (retry x1)", f" {TICK} src/a.test.ts > b 7ms")
    reader = fed(VitestLog(), [BEGIN, *lines, "      Tests  2 passed (2)", DURATION])
    assert reader.counts == RunCounts(passed=2, rerun=1)
    assert not reader.failures()


def test_without_a_run_nothing_is_a_failure() -> None:
    assert not told(TESTS, " FAIL  src/a.test.ts > a", "Error: no")
    assert not names(DURATION, TESTS, " FAIL  src/a.test.ts > a", "Error: no")


def test_what_is_over_the_limits_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [f" FAIL  src/a.test.ts > test {number}" for number in range(MAX_SHARED + 5)]
    reader = fed(VitestLog(), [BEGIN, TESTS, *many, "Error: no"])
    assert len(reader.failures()) == MAX_SHARED
    assert reader.cut
    monkeypatch.setattr(vitest_marks, "MAX_TOLD", 1)
    monkeypatch.setattr(vitest_marks, "MAX_ATTEMPTS", 1)
    marks = (f" {CROSS} src/a.test.ts > a", f"   {INTO} one", f"   {INTO} two", f" {CROSS} src/a.test.ts > b")
    reader = fed(VitestLog(), [BEGIN, *marks])
    (failure,) = reader.failures()
    assert failure.result.outcome == Failed("one", "one")
    assert reader.cut


def test_two_runs_of_one_log_both_count() -> None:
    reader = fed(VitestLog(), [*LINES, *LINES])
    assert reader.counts == RunCounts(failed=2, passed=10, skipped=2)
    assert len(reader.failures()) == 2


def test_foreign_lines_tell_nothing() -> None:
    assert not told(*foreign("vitest"))


@given(st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=30)), max_size=30))
def test_any_lines_are_read(lines: list[str]) -> None:
    told(*lines)
