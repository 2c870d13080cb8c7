"""pytest's report in a job log names the failures, with their texts, as its JUnit file would."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from runner_outputs import fed

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.pytest_log import MAX_NESTED, PytestLog, read_counts
from app.domain.joblog.pytest_progress import MAX_NODES
from app.domain.joblog.pytest_sections import MAX_ENTRIES, MAX_MESSAGE_LINES
from app.domain.joblog.pytest_session import MAX_SUMMARY_LINES
from app.domain.joblog.run_reader import RunCounts, ToldFailure
from app.domain.outcome import Errored, Failed, Result, TestId


def header(title: str, fill: str = "=") -> str:
    return f" {title} ".center(80, fill)


def read(*lines: str) -> PytestLog:
    return fed(PytestLog(), lines)


def failures(*lines: str) -> tuple[Result, ...]:
    return tuple(told.result for told in read(*lines).failures())


START = header("test session starts")
FAILURES = header("FAILURES")
ERRORS = header("ERRORS")
SUMMARY = header("short test summary info")

ASSERTION = [
    header("TestB.test_x[a b]", "_"),
    "",
    "    def test_x(v):",
    ">       assert v == 1",
    "E       AssertionError: v differs",
    "E       assert 'a b' == 1",
    "",
    "tests/test_a.py:12: AssertionError",
]
ASSERTION_RESULT = Result(
    TestId("", "", "tests.test_a.TestB", "test_x[a b]"),
    Failed("AssertionError: v differs\nassert 'a b' == 1", "\n".join(ASSERTION[2:])),
    path="tests/test_a.py",
)


def test_a_failure_has_the_text_of_its_section_and_the_name_of_its_summary() -> None:
    log = read(
        START,
        FAILURES,
        *ASSERTION,
        "------- generated xml file: /tmp/x.xml -------",
        SUMMARY,
        "FAILED tests/test_a.py::TestB::test_x[a b] - AssertionError: v diff...",
        header("1 failed, 821 passed in 3.20s"),
        "FAILED tests/test_a.py::test_after_the_end",
    )
    (told,) = log.failures()
    assert told == ToldFailure(ASSERTION_RESULT, "tests/test_a.py::TestB::test_x[a b]", 13)
    assert log.counts == RunCounts(failed=1, passed=821)


def test_without_a_summary_the_traceback_names_the_file() -> None:
    assert failures(START, FAILURES, *ASSERTION) == (ASSERTION_RESULT,)


def test_without_any_file_the_name_alone_is_kept() -> None:
    (failure,) = failures(FAILURES, header("test_x", "_"), "E   assert False")
    assert failure == Result(TestId("", "", "", "test_x"), Failed("assert False", "E   assert False"))


def test_without_a_section_the_summary_is_kept() -> None:
    assert failures(
        SUMMARY, "FAILED tests/test_a.py::test_x - assert False", "FAILED tests/test_a.py::test_y"
    ) == (
        Result(TestId("", "", "tests.test_a", "test_x"), Failed("assert False", ""), path="tests/test_a.py"),
        Result(TestId("", "", "tests.test_a", "test_y"), Failed("", ""), path="tests/test_a.py"),
    )


@pytest.mark.parametrize("phase", ["setup", "teardown"])
def test_a_failing_fixture_is_an_error_in_the_words_of_the_junit_file(phase: str) -> None:
    (failure,) = failures(
        ERRORS,
        header(f"ERROR at {phase} of test_x", "_"),
        "E   OSError: broke",
        SUMMARY,
        "ERROR tests/test_a.py::test_x - OSError: broke",
    )
    assert failure.test == TestId("", "", "tests.test_a", "test_x")
    assert failure.outcome == Errored(f'failed on {phase} with "OSError: broke"', "E   OSError: broke")


def test_a_file_that_cannot_be_collected_is_an_error_of_the_file() -> None:
    (failure,) = failures(
        ERRORS,
        header("ERROR collecting tests/test_b.py", "_"),
        "E   ModuleNotFoundError: No module named 'x'",
        SUMMARY,
        "ERROR tests/test_b.py - ModuleNotFoundError: No mod...",
        "!!!!!!!! Interrupted: 1 error during collection !!!!!!!!",
    )
    assert failure.test == TestId("", "pytest", "", "tests.test_b")
    assert failure.outcome == Errored("collection failure", "E   ModuleNotFoundError: No module named 'x'")


def test_a_failing_call_and_teardown_are_one_test() -> None:
    (failure,) = failures(
        ERRORS,
        header("ERROR at teardown of test_x", "_"),
        "E   OSError: broke",
        FAILURES,
        header("test_x", "_"),
        "E   AssertionError: call",
        SUMMARY,
        "FAILED t.py::test_x - AssertionError: call",
        "ERROR t.py::test_x - OSError: broke",
    )
    assert failure.outcome == Errored(
        "AssertionError: call", "E   AssertionError: call\n\nE   OSError: broke"
    )


def test_a_crashed_worker_is_an_error_of_the_test_it_ran() -> None:
    crash = "worker 'gw1' crashed while running 'tests/test_c.py::TestD::test_segv'"
    section = [FAILURES, header("tests/test_c.py", "_"), "[gw1] linux -- Python 3.11.7", crash]
    expected = Result(
        TestId("", "", "tests.test_c.TestD", "test_segv"),
        Errored(f'failed on setup with "{crash}"', "[gw1] linux -- Python 3.11.7\n" + crash),
        path="tests/test_c.py",
    )
    assert failures(*section) == (expected,)
    assert failures(*section, SUMMARY, "FAILED tests/test_c.py::TestD::test_segv - worker 'gw1' ...") == (
        expected,
    )


def test_subtests_belong_to_their_test() -> None:
    (failure,) = failures(
        FAILURES,
        header("test_s [i] (i=1)", "_"),
        "E   assert 1 != 1",
        header("test_s", "_"),
        "contains 1 failed subtest",
        SUMMARY,
        "SUBFAILED[i] (i=1) t.py::test_s - assert 1 != 1",
        "FAILED t.py::test_s - contains 1 failed subtest",
    )
    assert failure.test == TestId("", "", "t", "test_s")
    assert failure.outcome == Failed("assert 1 != 1", "E   assert 1 != 1\n\ncontains 1 failed subtest")


def test_a_subtest_of_the_older_plugin_belongs_to_its_test_too() -> None:
    (failure,) = failures(SUMMARY, "SUBFAIL t.py::test_s - assert 1")
    assert failure.test == TestId("", "", "t", "test_s")


def test_what_was_rerun_is_no_failure() -> None:
    assert failures(header("RERUNS"), *ASSERTION, header("1 passed, 1 rerun in 0.10s")) == ()


def test_equal_names_in_two_files_are_told_apart_by_their_order() -> None:
    first, second = failures(
        FAILURES,
        header("test_x", "_"),
        "E   assert 'first'",
        header("test_x", "_"),
        "E   assert 'second'",
        SUMMARY,
        "FAILED a.py::test_x - assert 'first'",
        "FAILED b.py::test_x - assert 'second'",
    )
    assert (first.test.classname, first.outcome) == ("a", Failed("assert 'first'", "E   assert 'first'"))
    assert (second.test.classname, second.outcome) == ("b", Failed("assert 'second'", "E   assert 'second'"))


def test_the_last_exception_of_a_chain_is_the_message_and_captured_output_is_not() -> None:
    (failure,) = failures(
        FAILURES,
        header("test_x", "_"),
        "E       ZeroDivisionError: division by zero",
        "t.py:3: ZeroDivisionError",
        "The above exception was the direct cause of the following exception:",
        "_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _",
        "E       KeyError: 'k'",
        "E",
        "E     dedented",
        "---------------- Captured stdout call ----------------",
        "E   printed by the test",
    )
    assert failure.outcome.kind.is_red
    assert isinstance(failure.outcome, Failed)
    assert failure.outcome.message == "KeyError: 'k'\n\ndedented"
    assert failure.outcome.text.endswith("E   printed by the test")


def test_a_long_message_is_bounded() -> None:
    (failure,) = failures(FAILURES, header("test_x", "_"), *["E   line"] * 500)
    assert isinstance(failure.outcome, Failed)
    assert failure.outcome.message.count("\n") == MAX_MESSAGE_LINES - 1


def test_a_long_name_leaves_one_underscore_a_side() -> None:
    name = f"test_x[{'p' * 90}]"
    (failure,) = failures(FAILURES, f"_ {name} _", "E   assert False")
    assert failure.test.name == name


@pytest.mark.parametrize(
    "line",
    [
        "_ x _",
        "____ printed by the test ____",
        "_" * 40 + " wider than the terminal " + "_" * 40,
        "_" * 39 + "x" + "_" * 40,
        "_" * 70 + " test_y",
        "_" * 80,
        "_ " * 40 + "_",
        "=== printed by the test ===",
    ],
)
def test_what_only_looks_like_a_header_is_text(line: str) -> None:
    (failure,) = failures(FAILURES, header("test_x", "_"), line)
    assert failure.outcome == Failed("", line)


def test_a_section_begins_with_a_header() -> None:
    assert failures(FAILURES, "E   assert False", SUMMARY, "not a summary line") == ()


def test_sessions_of_one_log_add_up() -> None:
    log = read(
        START,
        SUMMARY,
        "FAILED a.py::test_x",
        header("1 failed in 1.00s"),
        "pytest again",
        START,
        SUMMARY,
        "FAILED b.py::test_y",
        "1 failed, 2 passed, 3 errors in 0.50s",
    )
    assert [told.result.test.classname for told in log.failures()] == ["a", "b"]
    assert log.counts == RunCounts(failed=2, passed=2, errors=3)


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        (header("1 failed, 821 passed in 3.20s"), RunCounts(failed=1, passed=821)),
        (
            "= 2 passed, 1 xfailed, 1 xpassed, 1 warning, 1 error in 0.08s =",
            RunCounts(passed=2, xfailed=1, xpassed=1, errors=1),
        ),
        (
            "12 passed, 3 skipped, 4 deselected in 62.10s (0:01:02)",
            RunCounts(passed=12, skipped=3, deselected=4),
        ),
        ("1 passed, 2 rerun in 0.10s", RunCounts(passed=1, rerun=2)),
        ("no tests ran in 0.01s", None),
        ("3 retries in 4.0s", None),
        ("we saw 1 failed, 2 passed in 3s", None),
        ("1 failed", None),
    ],
)
def test_the_last_line_is_read(line: str, counts: RunCounts | None) -> None:
    assert read_counts(line) == counts


def test_a_session_lasts_from_its_first_to_its_last_line() -> None:
    log = read(START)
    assert log.in_run
    log.feed(LogLine(2, "1 passed in 0.1s"))
    assert not log.in_run


def test_too_many_failures_are_cut_and_said() -> None:
    entries = read(FAILURES, *[header("test_x", "_"), "x"] * (MAX_ENTRIES + 2))
    assert entries.cut
    assert len(entries.failures()) == 1
    summary = read(SUMMARY, *["FAILED t.py::test_x"] * (MAX_SUMMARY_LINES + 2))
    assert summary.cut
    assert not read(START).cut


LINES = st.sampled_from(
    [START, FAILURES, ERRORS, SUMMARY, *ASSERTION, "FAILED t.py::test_x - m", "1 failed in 1s"]
)


@given(st.lists(st.one_of(LINES, st.text(max_size=30)), max_size=40))
def test_any_lines_give_failures_that_are_red(lines: list[str]) -> None:
    assert all(failure.outcome.kind.is_red for failure in failures(*lines))


INNER = [START, SUMMARY, "FAILED test_inner.py::test_i - assert 0", header("1 failed in 0.01s")]


def test_a_session_that_a_test_printed_is_not_the_jobs() -> None:
    log = read(START, *INNER, FAILURES, *ASSERTION, SUMMARY, header("1 failed, 2 passed in 1.00s"))
    assert [told.result for told in log.failures()] == [ASSERTION_RESULT]
    assert (log.counts, log.printed) == (RunCounts(failed=1, passed=2), 1)


def test_a_session_shown_as_captured_output_is_text_of_its_failure() -> None:
    captured = "----------------------------- Captured stdout call -----------------------------"
    (failure,) = failures(
        START,
        FAILURES,
        *ASSERTION,
        captured,
        *INNER,
        SUMMARY,
        "FAILED tests/test_a.py::TestB::test_x[a b] - AssertionError: v diff...",
        header("1 failed in 1.00s"),
    )
    assert failure.test == ASSERTION_RESULT.test
    assert isinstance(failure.outcome, Failed)
    assert "FAILED test_inner.py::test_i" in failure.outcome.text


def test_a_session_after_one_that_crashed_is_the_jobs() -> None:
    log = read(
        START, "Segmentation fault (core dumped)", *INNER, "##[error]Process completed with exit code 1."
    )
    assert [told.printed for told in log.failures()] == ["test_inner.py::test_i"]
    assert (log.counts, log.printed) == (RunCounts(failed=1), 0)


def test_sessions_are_told_apart_to_some_depth() -> None:
    log = read(*[START] * (MAX_NESTED + 5), *["1 failed in 0.1s"] * MAX_NESTED)
    assert not log.in_run


def test_progress_names_what_failed_where_no_report_came() -> None:
    log = read(
        START,
        "tests/test_a.py::test_ok PASSED                              [ 20%]",
        "tests/test_a.py::test_x FAILED                               [ 40%]",
        "tests/test_a.py::test_x ERROR                                [ 40%]",
        "[gw1] [ 60%] FAILED tests/test_b.py::TestC::test_y[a - b] ",
        "tests/test_a.py::test_runs ",
        "a test prints FAILED of some::thing",
        "##[error]The operation was canceled.",
    )
    assert [(told.printed, told.line) for told in log.failures()] == [
        ("tests/test_a.py::test_x", 3),
        ("tests/test_b.py::TestC::test_y[a - b]", 5),
    ]
    assert [told.result.outcome for told in log.failures()] == [Errored("", ""), Failed("", "")]


def test_a_header_means_the_node_that_progress_shows_unless_there_are_several() -> None:
    header_only = [FAILURES, header("test_x", "_"), "E   assert 0", header("1 failed in 1s")]
    one = failures(START, "a.py::test_x FAILED [ 50%]", *header_only)
    assert [failure.test.classname for failure in one] == ["a"]
    both = ["a.py::test_x FAILED [ 50%]", "b.py::test_x FAILED [ 99%]"]
    several = failures(START, *both, *header_only)
    assert [failure.test.classname for failure in several] == ["a", "b", ""]
    paired = failures(START, *both, *header_only[:3], *header_only[1:])
    assert [failure.test.classname for failure in paired] == ["a", "b"]


TIMEOUT = "+++++++++++++++++++++++++++++++++++ Timeout ++++++++++++++++++++++++++++++++++++"


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ("Fatal Python error: Segmentation fault", "Fatal Python error: Segmentation fault"),
        (TIMEOUT, "Timeout"),
    ],
)
def test_the_test_that_ran_when_the_process_died_is_an_error(last: str, words: str) -> None:
    running = [START, "t/test_a.py::test_ok PASSED [ 50%]", f"t/test_a.py::test_x[a - b] {last}"]
    (told,) = read(
        *running, "Current thread 0x1:", "##[error]Process completed with exit code 139."
    ).failures()
    assert (told.printed, told.line) == ("t/test_a.py::test_x[a - b]", 3)
    assert told.result.outcome == Errored(words, "")
    assert failures(*running, "PASSED", "t/test_a.py::test_y PASSED [100%]") == ()
    assert failures(*running, header("2 passed in 0.1s")) == ()


def test_a_node_that_has_no_result_yet_did_not_fail() -> None:
    assert (
        failures(START, "t/test_a.py::test_x ", "prints a Fatal a::b", "##[error]The operation was canceled.")
        == ()
    )


def test_too_many_nodes_are_cut_and_said() -> None:
    assert read(START, *[f"t.py::test_{n} FAILED" for n in range(MAX_NODES + 1)]).cut


def test_a_session_without_tests_ends_too() -> None:
    assert not read(START, header("no tests ran in 0.01s")).in_run
