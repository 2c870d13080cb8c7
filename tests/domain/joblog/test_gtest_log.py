"""googletest's output in a job log names its failures as a results file would, and never another runner's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import OUTPUTS, fed, foreign

from app.domain.joblog import gtest_log, told_failures
from app.domain.joblog.gtest_case import MAX_MESSAGE_LINES
from app.domain.joblog.gtest_log import GtestLog
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Errored, Failed, Result, TestId

BEGIN = "[==========] Running 2 tests from 1 test suite."
END = "[==========] 2 tests from 1 test suite ran. (0 ms total)"


def told(*lines: str) -> list[ToldFailure]:
    return list(fed(GtestLog(), lines).failures())


def only(*lines: str) -> ToldFailure:
    (failure,) = told(*lines)
    return failure


def test_a_failure_has_the_text_between_its_begin_and_its_result() -> None:
    log = fed(GtestLog(), OUTPUTS["googletest"].splitlines())
    text = "sum_test.cc:12: Failure\nExpected equality of these values:\n  1\n  2"
    outcome = Failed("Expected equality of these values:\n  1\n  2", text)
    result = Result(TestId("", "", "Sum", "Carries"), outcome, path="sum_test.cc", line=12)
    assert log.failures() == (ToldFailure(result, "Sum.Carries", 12),)
    assert log.counts == RunCounts(failed=1, passed=1)
    assert not log.in_run
    assert not log.cut


@pytest.mark.parametrize(
    ("printed", "rest", "test"),
    [
        ("Sum.Carries", "", TestId("", "", "Sum", "Carries")),
        ("Inst/P.Even/0", ", where GetParam() = 1", TestId("", "", "Inst/P", "Even/0")),
        ("Ty/0.Size", ", where TypeParam = std::vector<int, a>", TestId("", "", "Ty/0", "Size")),
        ("Ty/1.5.Size", "", TestId("", "", "Ty/1.5", "Size")),
    ],
)
def test_parameters_and_types_belong_to_the_name(printed: str, rest: str, test: TestId) -> None:
    failure = only(
        f"[ RUN      ] {printed}",
        "a.cc:1: Failure",
        "text",
        f"[  FAILED  ] {printed}{rest} (3 ms)",
        END,
        f"[  FAILED  ] {printed}{rest}",
    )
    assert failure.result.test == test
    assert failure.printed == printed
    assert failure.result.outcome == Failed("text", "a.cc:1: Failure\ntext")


def test_the_first_failed_assertion_is_the_message_and_the_place() -> None:
    failure = only(
        "[ RUN      ] A.b",
        "printed",
        "/work/a.cc:7: Failure",
        "first",
        "/work/b.cc:8: Failure",
        "second",
        "[  FAILED  ] A.b (0 ms)",
    )
    assert isinstance(failure.result.outcome, Failed)
    assert failure.result.outcome.message == "first"
    assert (failure.result.path, failure.result.line) == ("/work/a.cc", 7)


@pytest.mark.parametrize(
    ("line", "message", "place"),
    [
        (r"D:\a\sum.cc(12): error: Expected: 1", "Expected: 1\nmore", (r"D:\a\sum.cc", 12)),
        ("unknown file: Failure", "more", (None, None)),
        ("no line end a.cc:6: Failure", "more", (None, None)),
    ],
)
def test_places_of_other_forms(line: str, message: str, place: tuple[str | None, int | None]) -> None:
    failure = only("[ RUN      ] A.b", line, "more", "[  FAILED  ] A.b (0 ms)")
    assert isinstance(failure.result.outcome, Failed)
    assert failure.result.outcome.message == message
    assert (failure.result.path, failure.result.line) == place


def test_a_long_message_is_bounded() -> None:
    outcome = only("[ RUN      ] A.b", "a.cc:1: Failure", *["line"] * 500, "[  FAILED  ] A.b").result.outcome
    assert isinstance(outcome, Failed)
    assert outcome.message.count("\n") == MAX_MESSAGE_LINES - 1


def test_a_result_may_be_glued_to_what_the_test_printed() -> None:
    assert told("[ RUN      ] A.b", "printed[       OK ] A.b (0 ms)", "##[error]Segmentation fault") == []
    failure = only("[ RUN      ] A.b", "printed[  FAILED  ] A.b (0 ms)")
    assert failure.result.outcome == Failed("", "printed")
    assert (
        told("[ RUN      ] A.b", "we saw A.b", "[  FAILED  ] A.c", "[  FAILED  ] x", "[x] A.b", "] A.b") == []
    )


def test_a_test_that_prints_another_runs_lines_is_not_that_run() -> None:
    failure = only("[ RUN      ] A.b", "[  FAILED  ] Inner.x (0 ms)", "[  FAILED  ] A.b (1 ms)")
    assert failure.result.outcome == Failed("", "[  FAILED  ] Inner.x (0 ms)")


def test_the_list_at_the_end_tells_what_brief_output_does_not() -> None:
    log = fed(
        GtestLog(),
        [
            "[  FAILED  ] A.b (0 ms)",
            END,
            "[  FAILED  ] 2 tests, listed below:",
            "[  FAILED  ] A.b",
            "[  FAILED  ] A.c",
        ],
    )
    assert [(failure.printed, failure.line) for failure in log.failures()] == [("A.b", 1), ("A.c", 5)]
    assert log.counts == RunCounts(failed=2)


def test_skipped_tests_are_counted_and_not_red() -> None:
    log = fed(
        GtestLog(),
        [
            "[ RUN      ] A.b",
            "a.cc:7: Skipped",
            "[  SKIPPED ] A.b (0 ms)",
            END,
            "[  PASSED  ] 1 test.",
            "[  SKIPPED ] 1 test, listed below:",
            "[  SKIPPED ] A.b",
        ],
    )
    assert log.failures() == ()
    assert log.counts == RunCounts(passed=1, skipped=1)


def test_a_failed_set_up_of_a_suite_is_an_error_of_the_suite() -> None:
    log = fed(
        GtestLog(),
        [
            BEGIN,
            "[----------] 1 test from Fix",
            "t.cc:17: Failure",
            "suite setup",
            "[ RUN      ] Fix.A",
            "[  SKIPPED ] Fix.A (0 ms)",
            "[----------] 1 test from Fix (0 ms total)",
            END,
            "[  FAILED  ] 0 tests, listed below:",
            "[  FAILED  ] Fix: SetUpTestSuite or TearDownTestSuite",
            "[  FAILED  ] Other: SetUpTestCase or TearDownTestCase",
        ],
    )
    first, second = log.failures()
    assert first.result == Result(
        TestId("", "Fix", "", "SetUpTestSuite or TearDownTestSuite"),
        Errored("suite setup", "t.cc:17: Failure\nsuite setup"),
        path="t.cc",
        line=17,
    )
    assert second.result.outcome == Errored("", "")
    assert log.counts == RunCounts(errors=2)


@pytest.mark.parametrize(
    "line",
    [
        "==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x1",
        "AddressSanitizer:DEADLYSIGNAL",
        "/a.sh: line 1:  84 Aborted                 (core dumped) ./sum_test",
        "Segmentation fault",
        "terminate called after throwing an instance of 'std::runtime_error'",
        "##[error]Process completed with exit code 3.",
        "##[error]Process completed with exit code -1073741819.",
    ],
)
@pytest.mark.parametrize(
    "after", [[], ["##[group]Run next"], [BEGIN, "[ RUN      ] C.d"], ["[ RUN      ] A.c"]]
)
def test_the_test_that_ran_when_the_process_crashed_is_an_error(line: str, after: list[str]) -> None:
    failure = only(BEGIN, "[ RUN      ] A.b", "printed", line, *after)
    text = "printed" if line.startswith("##") else f"printed\n{line}"
    assert failure.result == Result(TestId("", "", "A", "b"), Errored(line, text))
    assert failure.line == 2


def test_a_failed_assertion_before_the_crash_is_only_in_the_text() -> None:
    failure = only("[ RUN      ] A.b", "a.cc:3: Failure", "first", "Segmentation fault")
    assert failure.result.outcome == Errored(
        "Segmentation fault", "a.cc:3: Failure\nfirst\nSegmentation fault"
    )


@pytest.mark.parametrize(
    "after",
    [
        [],
        [BEGIN],
        ["[ RUN      ] A.c"],
        ["Segmentation fault", "[       OK ] A.b (1 ms)"],
        ["##[error]Process completed with exit code 137."],
        ["##[error]Process completed with exit code 124.", "Segmentation fault"],
        ["##[group]Run next", "Segmentation fault"],
    ],
)
def test_a_test_without_a_result_is_no_failure_by_itself(after: list[str]) -> None:
    assert told(BEGIN, "[ RUN      ] A.b", *after) == []


def test_what_has_no_name_of_a_test_is_none() -> None:
    assert told("[ RUN      ] 3 of them", "Segmentation fault") == []


def test_a_run_lasts_from_its_first_to_its_last_line() -> None:
    log = fed(GtestLog(), [BEGIN])
    assert log.in_run
    assert not fed(log, [END]).in_run
    assert fed(log, ["[ RUN      ] A.b"]).in_run
    assert not fed(log, ["##[group]Run next"]).in_run


def test_repeats_are_one_test_and_their_counts_add_up() -> None:
    run = OUTPUTS["googletest"].splitlines()
    log = fed(GtestLog(), [*run, "Repeating all tests (iteration 2) . . .", *run])
    assert [failure.printed for failure in log.failures()] == ["Sum.Carries"]
    assert log.counts == RunCounts(failed=2, passed=2)


def test_too_much_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_failures, "MAX_TOLD", 2)
    log = fed(GtestLog(), [f"[  FAILED  ] A.b{n}" for n in range(3)])
    assert len(log.failures()) == 2
    assert log.cut


def test_the_texts_of_many_suites_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gtest_log, "MAX_SUITES", 1)
    lines = [line for n in range(2) for line in (f"[----------] 1 test from S{n}", "a.cc:1: Failure", "t")]
    ends = [f"[  FAILED  ] S{n}: SetUpTestSuite or TearDownTestSuite" for n in range(2)]
    assert [failure.result.path for failure in told(*lines, END, *ends)] == ["a.cc", None]


def test_other_runners_output_is_left_alone() -> None:
    lines = [*foreign("googletest"), "12: [  FAILED  ] Sum.Carries (0 ms)", "[error] a.b"]
    log = fed(GtestLog(), lines)
    assert log.failures() == ()
    assert log.counts is None
    assert not log.in_run


LINES = st.sampled_from([*OUTPUTS["googletest"].splitlines(), *foreign("googletest"), "Segmentation fault"])


@given(st.lists(st.one_of(LINES, st.text(max_size=30)), max_size=40))
def test_any_lines_give_failures_that_are_red(lines: list[str]) -> None:
    failures = told(*lines)
    assert all(failure.result.outcome.kind.is_red for failure in failures)
    assert all(1 <= failure.line <= len(lines) for failure in failures)
    assert len({failure.result.test for failure in failures}) == len(failures)
