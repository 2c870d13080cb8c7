"""unittest's output in a job log names the failures as its results file would, and never another runner's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import DASHES, OUTPUTS, RULE, fed, foreign

from app.domain.joblog import told_failures, unittest_progress
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.joblog.unittest_log import UnittestLog
from app.domain.joblog.unittest_names import HOLDER_SUITE, read_test
from app.domain.joblog.unittest_section import MAX_MESSAGE_LINES
from app.domain.outcome import Errored, Failed, Result, TestId


def told(*lines: str) -> list[ToldFailure]:
    return list(fed(UnittestLog(), lines).failures())


def only(*lines: str) -> ToldFailure:
    (failure,) = told(*lines)
    return failure


TRACEBACK = [
    "Traceback (most recent call last):",
    '  File "/work/tests/test_a.py", line 4, in test_x',
    "    check(1, 2)",
    '  File "/work/tests/checks.py", line 9, in check',
    "    assert a == b, text",
    "AssertionError: 1 != 2",
    "more of the message",
]
X = TestId("", "", "tests.test_a.TestB", "test_x")


def section(header: str, *text: str) -> list[str]:
    return [RULE, header, DASHES, *(text or TRACEBACK), ""]


def end(ran: int, status: str) -> list[str]:
    return [DASHES, f"Ran {ran} tests in 0.001s", "", status]


def test_a_header_names_the_test_and_its_text_the_place() -> None:
    log = fed(
        UnittestLog(),
        [".F", *section("FAIL: test_x (tests.test_a.TestB)"), *end(2, "FAILED (failures=1)"), "after"],
    )
    text = "\n".join(TRACEBACK)
    outcome = Failed("AssertionError: 1 != 2\nmore of the message", text)
    result = Result(X, outcome, path="/work/tests/test_a.py", line=4)
    assert log.failures() == (ToldFailure(result, "test_x (tests.test_a.TestB)", 3),)
    assert log.counts == RunCounts(failed=1, passed=1)
    assert not log.cut


@pytest.mark.parametrize(
    ("printed", "test"),
    [
        ("test_x (tests.test_a.TestB)", X),
        ("test_x (tests.test_a.TestB.test_x)", X),
        ("tests.test_a.TestB.test_x", X),
        ("test_x (tests.test_a.TestB.test_x) (i=1)", X._replace(name="test_x (i=1)")),
        ("test_x (tests.test_a.TestB) [msg] (i=(1, 2))", X._replace(name="test_x [msg] (i=(1, 2))")),
        ("test_sum0 (1, 2) (__main__.T)", TestId("", "", "__main__.T", "test_sum0 (1, 2)")),
        ("setUpClass (tests.test_a.B)", TestId("", HOLDER_SUITE, "", "setUpClass (tests.test_a.B)")),
        ("tearDownModule (test_m)", TestId("", HOLDER_SUITE, "", "tearDownModule (test_m)")),
        (
            "tests.test_i (unittest.loader._FailedTest.tests.test_i)",
            TestId("", "", "unittest.loader._FailedTest", "tests.test_i"),
        ),
        ("test_i (unittest.loader._FailedTest)", TestId("", "", "unittest.loader._FailedTest", "test_i")),
        ("Failure: ImportError (No module named x)", None),
        ("<xmlrunner.result._TestInfo object at 0x7fa01ef32110>", None),
    ],
)
def test_names_of_every_version_are_read(printed: str, test: TestId | None) -> None:
    assert read_test(printed) == test
    assert [failure.result.test for failure in told(*section(f"ERROR: {printed}"))] == [test] * (
        test is not None
    )


def test_an_error_is_one_and_a_time_may_stand_in_the_header() -> None:
    failure = only(*section("ERROR [2.019s]: test_x (tests.test_a.TestB)", "OSError: broke"))
    assert failure.result.outcome == Errored("OSError: broke", "OSError: broke")


def test_the_docstring_is_no_text() -> None:
    failure = only(RULE, "FAIL: test_x (tests.test_a.TestB)", "What it shows.", DASHES, "AssertionError")
    assert failure.result.outcome == Failed("AssertionError", "AssertionError")


def test_of_a_chain_the_last_exception_is_the_message_and_of_output_none_is() -> None:
    chain = [
        "KeyError: 'k'",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "Traceback (most recent call last):",
        '  File "t.py", line 3, in test_x',
        "ValueError: v",
        "",
        "Stdout:",
        "Traceback (most recent call last):",
        '  File "t.py", line 9, in test_x',
        "OSError: printed",
    ]
    failure = only(*section("ERROR: test_x (t.T)", *chain))
    assert failure.result.outcome == Errored("ValueError: v", "\n".join(chain))
    assert (failure.result.path, failure.result.line) == ("t.py", 3)


def test_a_long_message_is_bounded() -> None:
    outcome = only(*section("ERROR: test_x (t.T)", *["line"] * 500)).result.outcome
    assert isinstance(outcome, Errored)
    assert outcome.message.count("\n") == MAX_MESSAGE_LINES - 1


def test_an_unexpected_success_is_red_with_and_without_a_header() -> None:
    for lines in (
        [*section("UNEXPECTED SUCCESS: test_x (tests.test_a.TestB.test_x)", DASHES)],
        ["test_x (tests.test_a.TestB) ... unexpected success", ""],
    ):
        log = fed(UnittestLog(), [*lines, *end(3, "FAILED (skipped=1, unexpected successes=1)")])
        assert [failure.result for failure in log.failures()] == [Result(X, Failed("Unexpected success", ""))]
        assert log.counts == RunCounts(failed=1, skipped=1, passed=1)


@pytest.mark.parametrize(
    ("ran", "status", "counts"),
    [
        (3, "OK", RunCounts(passed=3)),
        (3, "OK (skipped=1, expected failures=1)", RunCounts(passed=1, skipped=1, xfailed=1)),
        (2, "FAILED (failures=6, errors=2)", RunCounts(failed=6, errors=2)),
        (0, "NO TESTS RAN", RunCounts()),
        (3, "FAILED tests/test_a.py::test_x", None),
    ],
)
def test_counts_are_read(ran: int, status: str, counts: RunCounts | None) -> None:
    assert fed(UnittestLog(), end(ran, status)).counts == counts


def test_counts_of_two_runs_add_up_and_need_the_line_that_counts_the_tests() -> None:
    log = fed(UnittestLog(), [*end(1, "OK"), *end(2, "FAILED (errors=1)"), "OK", "FAILED (errors=9)"])
    assert log.counts == RunCounts(passed=2, errors=1)
    assert fed(UnittestLog(), ["Ran 1 test in 0.1s", *["x"] * 5, "OK"]).counts is None
    assert fed(UnittestLog(), ["Ran 1 test in 0.1s", *section("FAIL: test_x (t.T)"), "OK"]).counts is None


def test_a_test_that_failed_in_two_runs_is_told_once_with_both_texts() -> None:
    run = [*section("FAIL: test_x (t.T)", "AssertionError: 1"), *end(1, "FAILED (failures=1)")]
    again = [*section("ERROR: test_x (t.T)", "OSError: 2"), *end(1, "FAILED (errors=1)")]
    failure = only(*run, *again, "test_x (t.T) ... ok", *end(1, "OK"))
    assert failure.result.outcome == Errored("AssertionError: 1", "AssertionError: 1\n\nOSError: 2")
    assert failure.line == 2


def test_a_rule_in_a_text_does_not_end_it() -> None:
    text = ["AssertionError: printed", RULE, "not a header", RULE]
    assert only(*section("FAIL: test_x (t.T)", *text)).result.outcome.kind.is_red
    outcome = only(*section("FAIL: test_x (t.T)", *text)).result.outcome
    assert isinstance(outcome, Failed)
    assert outcome.text == "\n".join(text)


def test_a_text_ends_with_its_step() -> None:
    stop = "##[error]Process completed with exit code 1."
    outcome = only(*section("FAIL: test_x (t.T)", "AssertionError"), stop, "after").result.outcome
    assert outcome == Failed("AssertionError", "AssertionError")


def test_without_its_rule_a_header_is_only_a_line() -> None:
    assert told("FAIL: test_x (t.T)", "=" * 71, "FAIL: test_x (t.T)", RULE, "", "FAIL: test_x (t.T)") == []


def test_progress_tells_the_failures_of_a_run_that_was_stopped() -> None:
    log = fed(
        UnittestLog(),
        [
            "test_ok (t.T.test_ok) ... ok",
            "test_x (t.T.test_x) ... FAIL",
            "test_y (t.T.test_y)",
            "Its docstring. ... ERROR",
            "test_z (t.T.test_z) ... ",
            "##[error]The operation was canceled.",
        ],
    )
    assert [(failure.printed, failure.line, failure.result.outcome) for failure in log.failures()] == [
        ("test_x (t.T.test_x)", 2, Failed("", "")),
        ("test_y (t.T.test_y)", 3, Errored("", "")),
    ]
    assert log.in_run


def test_the_line_of_progress_is_the_first_that_names_a_failure() -> None:
    failure = only("test_x (t.T) ... FAIL", "", *section("FAIL: test_x (t.T)", "AssertionError"))
    assert (failure.line, failure.result.outcome) == (1, Failed("AssertionError", "AssertionError"))


def test_before_python_3_11_two_tests_share_a_line_where_subtests_failed() -> None:
    failures = told("test_s (t.T) ... test_x (t.T) ... FAIL", "", *section("FAIL: test_s (t.T) (i=1)"))
    assert [failure.printed for failure in failures] == ["test_x (t.T)", "test_s (t.T) (i=1)"]


def test_a_word_for_a_test_whose_subtests_have_headers_is_no_failure_of_its_own() -> None:
    failure = only("  test_s (t.T.test_s) ... FAIL (0.001s)", *section("FAIL [0.001s]: test_s (t.T) (i=1)"))
    assert failure.result.test.name == "test_s (i=1)"


@pytest.mark.parametrize("result", ["ok", "ok (0.001s)", "skipped 'no'", "skip (0.000s)", "expected failure"])
def test_red_words_that_the_test_prints_are_not_its_result(result: str) -> None:
    assert told("test_x (t.T) ... FAIL", result) == []
    assert told("test_x (t.T) ... ", "FAIL", result) == []
    assert told("test_x (t.T) ... output", "ERROR") == []


@pytest.mark.parametrize(
    "lines",
    [
        ["test_x (t.T) ... Fatal Python error: Segmentation fault", "", "Current thread 0x1:"],
        ["test_x (t.T) ... output", "Fatal Python error: Aborted"],
        [
            "test_x (t.T)",
            "Docstring. ... ",
            "/a.sh: line 1:  84 Segmentation fault      (core dumped) python",
        ],
        ["test_x (t.T) ... ", "==12==ERROR: AddressSanitizer: heap-use-after-free on address 0x1"],
        ["test_x (t.T) ... ", "##[error]Process completed with exit code 139."],
    ],
)
@pytest.mark.parametrize(
    "after", [[], ["##[group]Run next", "Ran 3 tests in 1.0s", "OK"], ["test_y (u.U) ... ok"]]
)
def test_the_test_that_ran_when_the_process_crashed_is_an_error(lines: list[str], after: list[str]) -> None:
    failure = only(*lines, *after)
    assert failure.printed == "test_x (t.T)"
    assert isinstance(failure.result.outcome, Errored)
    assert failure.result.outcome.message
    assert failure.result.outcome.text.startswith(failure.result.outcome.message)


@pytest.mark.parametrize("after", ["ok", "FAIL", RULE + "\nERROR: test_y (t.T)", "Ran 3 tests in 1.000s"])
def test_a_dead_child_of_a_test_that_goes_on_is_no_crash(after: str) -> None:
    failures = told("test_x (t.T) ... ", "Fatal Python error: Aborted", *after.split("\n"))
    assert all(failure.printed != "test_x (t.T)" for failure in failures)


@pytest.mark.parametrize(
    "line",
    [
        "##[error]Process completed with exit code 137.",
        "##[error]Process completed with exit code 1.",
        "WARNING: ThreadSanitizer: data race (pid=1)",
        "a test of the Sanitizer",
    ],
)
def test_a_running_test_that_was_stopped_is_no_failure(line: str) -> None:
    assert told("test_x (t.T) ... ", line, "Segmentation fault" if "exit" in line else "") == []


def test_a_line_in_brackets_opens_no_test_unless_its_result_can_follow() -> None:
    log = fed(UnittestLog(), ["deploy (prod.eu)", "done", "a.b (c) ... FAIL", "FAIL"])
    assert log.failures() == ()
    assert not log.in_run


def test_a_run_lasts_from_its_first_test_to_its_count() -> None:
    log = fed(UnittestLog(), ["test_x (t.T) ... ok", "between"])
    assert log.in_run
    assert not fed(log, end(1, "OK")).in_run
    assert fed(log, section("FAIL: test_x (t.T)")).in_run


def test_too_many_failures_are_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_failures, "MAX_TOLD", 2)
    monkeypatch.setattr(unittest_progress, "MAX_TOLD", 2)
    for lines in (
        [line for n in range(3) for line in section(f"FAIL: test_{n} (t.T)")],
        [f"test_{n} (t.T) ... FAIL" for n in range(4)],
    ):
        log = fed(UnittestLog(), lines)
        assert len(log.failures()) == 2
        assert log.cut


def test_other_runners_output_is_left_alone() -> None:
    log = fed(UnittestLog(), foreign("unittest"))
    assert log.failures() == ()
    assert log.counts is None
    assert not log.in_run


def test_its_own_output_is_found_among_the_others() -> None:
    lines = [*foreign("unittest"), *OUTPUTS["unittest"].splitlines(), *foreign("unittest")]
    log = fed(UnittestLog(), lines)
    assert [failure.result.test for failure in log.failures()] == [X]
    assert log.counts == RunCounts(failed=1, passed=1)


LINES = st.sampled_from(
    [*OUTPUTS["unittest"].splitlines(), *foreign("unittest"), "test_y (t.T) ... ", "Segmentation fault"]
)


@given(st.lists(st.one_of(LINES, st.text(max_size=30)), max_size=40))
def test_any_lines_give_failures_that_are_red(lines: list[str]) -> None:
    failures = told(*lines)
    assert all(failure.result.outcome.kind.is_red for failure in failures)
    assert all(1 <= failure.line <= len(lines) for failure in failures)
    assert len({failure.result.test for failure in failures}) == len(failures)
