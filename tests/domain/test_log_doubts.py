"""A log's doubts are told in one wording, and pytest's ways of counting make none."""

import io
from dataclasses import replace

import pytest

from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.log_doubts import log_doubts, ran_in_log


def log(*lines: str) -> JobLog:
    return read_job_log(io.BytesIO("".join(f"{line}\n" for line in lines).encode()))


def session(summary: str, *failed: str) -> JobLog:
    return log(
        "============================= test session starts ==============================",
        "=========================== short test summary info ============================",
        *failed,
        f"============================== {summary} in 0.10s ===============================",
    )


def words(told: JobLog, red: int) -> list[str]:
    return [doubt.words for doubt in log_doubts(told, red)]


@pytest.mark.parametrize(
    ("summary", "red", "told"),
    [
        ("3 failed, 1 passed", 1, ["the log claims 3 failures, and 1 is named"]),
        ("3 failed, 1 passed", 2, ["the log claims 3 failures, and 2 are named"]),
        ("1 error", 0, ["the log claims 1 failure, and 0 are named"]),
        ("3 failed, 1 passed", 3, []),
        ("1 failed, 1 error", 1, []),
        ("4 passed", 0, []),
    ],
    ids=["one of three", "two of three", "an error", "all", "one test failed in call and teardown", "none"],
)
def test_claims_of_more_failures_than_are_known(summary: str, red: int, told: list[str]) -> None:
    assert words(session(summary), red) == told


def test_failed_subtests_are_counted_in_their_test() -> None:
    told = session(
        "3 failed, 1 passed",
        "SUBFAILED[i] test_a.py::test_subtests - assert 1 != 1",
        "SUBFAILED[j] test_a.py::test_subtests - assert 2 != 2",
        "FAILED test_a.py::test_subtests - contains 2 failed subtests",
    )
    assert words(told, 1) == []
    assert ran_in_log(told) == 2


def test_tests_that_ran_are_those_that_a_summary_counts() -> None:
    assert ran_in_log(session("1 failed, 2 passed, 4 skipped, 1 xfailed, 8 xpassed, 2 errors")) == 11
    assert ran_in_log(log("no summary")) == 0


def test_an_exit_code_and_a_missing_summary_matter_only_where_nothing_is_red() -> None:
    ended = log(
        "##[error]Process completed with exit code 0.", "##[error]Process completed with exit code 3."
    )
    assert words(ended, 0) == [
        "a step ended with exit code 3, and no failed test is named",
        "no summary of a test run is in it, so what its tests did is not known",
    ]
    assert words(ended, 1) == []


def test_failures_that_a_test_printed_matter_only_where_nothing_is_red() -> None:
    told = replace(session("3 passed"), printed=2)
    assert words(told, 0) == ["2 failures left out, since a test printed what looks like a run"]
    assert words(told, 1) == []


def test_a_cut_and_the_runners_word_are_told_first() -> None:
    text = b"a line of the log\n" * 200 + b"##[error]The operation was canceled.\n"
    assert words(read_job_log(io.BytesIO(text), limit_bytes=1000), 1) == [
        "the middle of the log was left out",
        "the runner says: ##[error]The operation was canceled.",
    ]


SCRIPT = ("##[group]Run make {0}", "shell: /usr/bin/bash -e {{0}}", "##[endgroup]")
ENDED = "##[error]Process completed with exit code {0}."


def test_failed_steps_are_named_up_to_three() -> None:
    lines = [line.format(n) for n in range(1, 6) for line in (*SCRIPT, ENDED)]
    first, _ = words(log(*lines), 0)
    assert first == (
        "step 'Run make 1' ended with exit code 1, step 'Run make 2' ended with exit code 2, "
        "step 'Run make 3' ended with exit code 3 and 2 more steps, and no failed test is named"
    )


def test_an_exit_code_that_a_kill_leaves_says_what_it_suggests() -> None:
    first = words(log(ENDED.format(137)), 1)[0]
    assert (
        first == f"the runner says: {ENDED.format(137)} (memory may have run out, which this does not prove)"
    )
