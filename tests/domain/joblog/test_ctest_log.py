"""ctest's output in a job log names the tests it counts as failed, and never those of a runner it started."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog import ctest_log, ctest_test, told_failures
from app.domain.joblog.ctest_log import SUMMARY_LINES, CtestLog
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Errored, Failed, Result, TestId

BEGIN = "Test project /work/build"
DOTS = " ............"


def told(*lines: str) -> list[ToldFailure]:
    return list(fed(CtestLog(), lines).failures())


def only(*lines: str) -> ToldFailure:
    (failure,) = told(*lines)
    return failure


def named(name: str) -> TestId:
    return TestId("", "", name, name)


def test_a_failed_test_has_the_text_below_its_result() -> None:
    log = fed(CtestLog(), OUTPUTS["ctest"].splitlines())
    result = Result(named("sum_test"), Failed("Failed", "sum is wrong"))
    assert log.failures() == (ToldFailure(result, "sum_test", 3),)
    assert log.counts == RunCounts(failed=1, passed=1)
    assert not log.in_run
    assert not log.cut


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("***Failed    0.02 sec", "Failed"),
        ("***Timeout   1.50 sec", "Timeout"),
        ("***Exception: SegFault  0.00 sec", "Exception: SegFault"),
        ("Subprocess aborted***Exception:   0.00 sec", "Subprocess aborted Exception"),
        (
            "***Failed  Error regular expression found in output. Regex=[E 1 sec]  0.00 sec",
            "Failed  Error regular expression found in output. Regex=[E 1 sec]",
        ),
        (
            "***Failed  Required regular expression not found. Regex=[x",
            "Failed  Required regular expression not found. Regex=[x",
        ),
        ("***Not Run   0.00 sec", "Not Run"),
        ("***Not Run (Disabled)   0.00 sec", None),
        ("***Skipped   0.00 sec", None),
        ("   Passed    0.00 sec", None),
    ],
)
def test_stars_are_a_failure_unless_nothing_was_to_run(status: str, reason: str | None) -> None:
    failures = told(BEGIN, "      Start  3: a", f" 3/14 Test  #3: a{DOTS}{status}")
    kind = Errored if reason == "Not Run" else Failed
    expected = [] if reason is None else [Result(named("a"), kind(reason, ""))]
    assert [failure.result for failure in failures] == expected


def test_why_a_test_could_not_run_stands_above_its_result() -> None:
    failure = only(BEGIN, "    Start 1: a", "Could not find executable /x", f"1/1 Test #1: a{DOTS}***Not Run")
    assert failure.result.outcome == Errored("Not Run", "Could not find executable /x")


def test_lines_behind_the_number_of_a_running_test_are_its_text() -> None:
    first, second = told(
        BEGIN,
        "    Start 1: a",
        "    Start 2: b",
        "1: of the first",
        "2: [  FAILED  ] Sum.Carries",
        "1:",
        "7: of no test that runs",
        f"1/2 Test #1: a{DOTS}***Failed    0.02 sec",
        f"2/2 Test #2: b{DOTS}***Failed    0.02 sec",
        "8: below the second",
    )
    assert first.result.outcome == Failed("Failed", "of the first")
    assert second.result.outcome == Failed(
        "Failed", "[  FAILED  ] Sum.Carries\n7: of no test that runs\n8: below the second"
    )


def test_the_list_tells_what_no_result_line_does_and_its_names_are_whole() -> None:
    log = fed(
        CtestLog(),
        [
            BEGIN,
            f"1/4 Test #1: a_name_that_was_short{DOTS}***Exception: SegFault  0.00 sec",
            "25% tests passed, 3 tests failed out of 4",
            "",
            "The following tests did not run:",
            "\t  5 - off (Disabled)",
            "\t  6 - not here (Skipped)",
            "",
            "The following tests FAILED:",
            "\t  1 - a_name_that_was_shortened (SEGFAULT)",
            "\t  2 - no program (Not Run)                 unit slow",
            "\t  3 - quiet (Timeout)",
            "Errors while running CTest",
            "\t  4 - below the list (Failed)",
        ],
    )
    assert [(failure.result, failure.line) for failure in log.failures()] == [
        (Result(named("a_name_that_was_shortened"), Failed("Exception: SegFault", "")), 2),
        (Result(named("no program"), Errored("Not Run", "")), 11),
        (Result(named("quiet"), Failed("Timeout", "")), 12),
    ]
    assert log.counts == RunCounts(failed=3, passed=0, skipped=2)


def test_a_repetition_that_passed_leaves_no_failure_and_one_that_failed_an_attempt() -> None:
    failure = only(
        BEGIN,
        "    Start 1: a",
        f"1/2 Test #1: a{DOTS}***Failed    0.02 sec",
        "first",
        "    Start 1: a",
        f"    Test #1: a{DOTS}   Passed    0.02 sec",
        "    Start 2: b",
        f"2/2 Test #2: b{DOTS}***Timeout   0.02 sec",
        "first",
        f"    Test #2: b{DOTS}***Failed    0.02 sec",
        "second",
    )
    assert failure.result == Result(
        named("b"), Failed("Failed", "second"), earlier=(Failed("Timeout", "first"),)
    )
    assert failure.line == 8


def test_a_test_that_failed_in_two_runs_is_told_once() -> None:
    run = OUTPUTS["ctest"].splitlines()
    log = fed(CtestLog(), [*run, *run, BEGIN, f"1/1 Test #1: sum_test{DOTS}   Passed    0.02 sec"])
    (failure,) = log.failures()
    assert failure.result == Result(named("sum_test"), Failed("Failed", "sum is wrong"))
    assert log.counts == RunCounts(failed=2, passed=2)


def test_a_run_that_was_stopped_tells_what_had_failed_by_then() -> None:
    log = fed(
        CtestLog(),
        [
            f"1/9 Test #1: a{DOTS}***Failed    0.02 sec",
            "its text",
            "    Start 2: b",
            "##[error]Process completed with exit code 143.",
            "after",
        ],
    )
    (failure,) = log.failures()
    assert failure.result.outcome == Failed("Failed", "its text")


def test_a_run_lasts_from_its_first_line_to_its_summary() -> None:
    log = fed(CtestLog(), [BEGIN])
    assert log.in_run
    assert not fed(log, ["100% tests passed, 0 tests failed out of 3"]).in_run
    assert log.counts == RunCounts(passed=3)
    assert fed(log, [f"1/9 Test #1: a{DOTS}   Passed"] * 2 + [BEGIN]).in_run
    assert not fed(log, ["##[group]Run Test"]).in_run


def test_without_a_run_nothing_is_a_result() -> None:
    lines = ["  Test #3: long", f"    Test #2: b{DOTS}***Failed    0.02 sec", "1/2 Test #1: no dots"]
    assert told(*lines, "The following tests FAILED:", "\t  1 - a (Failed)") == []
    assert told(BEGIN, "1/2 Test #1: no dots", "10% tests passed, 1 tests failed", "\t  1 - a (Failed)") == []


def test_a_summary_is_over_when_nothing_of_it_follows() -> None:
    end = ["50% tests passed, 1 tests failed out of 2", *[""] * SUMMARY_LINES]
    assert told(BEGIN, *end, "The following tests FAILED:", "\t  1 - a (Failed)") == []
    assert told(BEGIN, *end[:-1], "The following tests FAILED:", "\t  1 - a (Failed)") == []
    assert told(BEGIN, *end[:-2], "The following tests FAILED:", "\t  1 - a (Failed)") != []


def test_too_much_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctest_log, "MAX_TOLD", 2)
    monkeypatch.setattr(told_failures, "MAX_TOLD", 2)
    monkeypatch.setattr(ctest_test, "MAX_ATTEMPTS", 1)
    results = [f"1/9 Test #{n}: a{n}{DOTS}***Failed" for n in range(3)]
    items = ["10% tests passed, 4 tests failed", "The following tests FAILED:", "\t  9 - z (Failed)"]
    log = fed(CtestLog(), [BEGIN, *results, *results, *results, "text", *items])
    assert [len(failure.result.earlier) for failure in log.failures()] == [1, 1]
    assert log.cut


def test_other_runners_output_is_left_alone() -> None:
    log = fed(CtestLog(), foreign("ctest"))
    assert log.failures() == ()
    assert log.counts is None
    assert not log.in_run


LINES = st.sampled_from(
    [*OUTPUTS["ctest"].splitlines(), *foreign("ctest"), "1: x", f"    Test #1: sum_test{DOTS}***Failed"]
)


@given(st.lists(st.one_of(LINES, st.text(max_size=30)), max_size=40))
def test_any_lines_give_failures_that_are_red(lines: list[str]) -> None:
    failures = told(*lines)
    assert all(failure.result.outcome.kind.is_red for failure in failures)
    assert all(1 <= failure.line <= len(lines) for failure in failures)
    assert len({failure.result.test for failure in failures}) == len(failures)
