"""One pass over a job's log tells what was checked out, how it ended and which tests failed."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.runner_lines import MAX_ERRORS

STAMP = "2026-05-11T09:14:02.0131000Z "
START = "============================= test session starts =============================="
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def read(*lines: str, limit_bytes: int = 1_000_000) -> JobLog:
    return read_job_log(
        io.BytesIO("".join(f"{STAMP}{line}\n" for line in lines).encode()), limit_bytes=limit_bytes
    )


def test_a_red_job_of_pytest_is_read_in_one_pass() -> None:
    log = read(
        "##[group]Run actions/checkout@v4",
        "Syncing repository: acme/widget",
        "[command]/usr/bin/git log -1 --format=%H",
        COMMIT,
        "##[group]Run pytest",
        "\x1b[1m" + START + "\x1b[0m",
        "=================================== FAILURES ===================================",
        "\x1b[31m____________________________________ test_x ____________________________________\x1b[0m",
        "E   assert False",
        "=========================== short test summary info ============================",
        "FAILED tests/test_a.py::test_x - assert False",
        "========================= 1 failed, 4 passed in 0.68s ==========================",
        "##[error]Process completed with exit code 1.",
    )
    assert [checkout.commit for checkout in log.checkouts] == [COMMIT]
    assert log.exit_codes == (1,)
    assert log.errors == (LogLine(13, "##[error]Process completed with exit code 1."),)
    assert [failure.test.label for failure in log.failures] == ["tests.test_a::test_x"]
    assert log.counts is not None
    assert (log.counts.failed, log.counts.passed) == (1, 4)
    assert log.infra is None
    assert (log.cut, log.lines) == (False, 13)


SHUTDOWN = (
    "##[error]The runner has received a shutdown signal. This can happen when the runner service is stopped."
)
CANCELED = "##[error]The operation was canceled."


@pytest.mark.parametrize(
    "line",
    [
        SHUTDOWN,
        CANCELED,
        "##[error]The hosted runner: GitHub Actions 5 lost communication with the server.",
        "##[error]No space left on device : '/home/runner/runners/2.325.0/_diag/pages/x.log'",
        "System.IO.IOException: No space left on device",
        "tar: x: Cannot write: No space left on device",
        "##[error]The action 'Test' has timed out after 360 minutes.",
        "##[error]The job running on runner R 2 has exceeded the maximum execution time of 360 minutes.",
        "##[error]Process completed with exit code 137.",
        "##[error]Process completed with exit code 143.",
    ],
)
def test_a_cause_outside_the_tests_is_quoted(line: str) -> None:
    assert read("before", line, "after").infra == line


@pytest.mark.parametrize(
    "line", ["##[error]Process completed with exit code 1.", "canceled", "shutdown signal"]
)
def test_other_lines_are_no_such_cause(line: str) -> None:
    assert read(line).infra is None


def test_the_more_telling_cause_is_quoted_whatever_the_order() -> None:
    killed = "##[error]Process completed with exit code 143."
    assert read(killed, SHUTDOWN, CANCELED).infra == SHUTDOWN
    assert read(SHUTDOWN, killed, CANCELED).infra == SHUTDOWN


def test_what_a_test_prints_is_no_cause_once_pytest_came_to_its_end() -> None:
    assert read(START, SHUTDOWN, "1 failed in 1.0s").infra is None
    assert read(START, "OSError: [Errno 28] No space left on device", "1 failed in 1.0s").infra is None


def test_a_cause_that_stopped_pytest_counts() -> None:
    assert read(START, "tests/test_a.py ....", SHUTDOWN, CANCELED).infra == SHUTDOWN
    assert read(START, "1 passed in 1.0s", START, SHUTDOWN).infra == SHUTDOWN


def test_exit_codes_and_errors_are_kept_in_order_and_bounded() -> None:
    log = read("##[error]Process completed with exit code -1073741819.", *["##[error]again"] * 100)
    assert log.exit_codes == (-1073741819,)
    assert len(log.errors) == MAX_ERRORS
    assert log.errors[1] == LogLine(2, "##[error]again")


def test_a_log_over_the_limit_is_marked_and_keeps_its_end() -> None:
    log = read(*["noise"] * 1000, "##[error]Process completed with exit code 1.", limit_bytes=10_000)
    assert log.cut
    assert log.lines == 1001
    assert log.exit_codes == (1,)


@given(st.binary(max_size=400))
def test_any_bytes_are_a_log(raw: bytes) -> None:
    log = read_job_log(io.BytesIO(raw))
    assert log.failures == ()
    assert log.lines >= raw.count(b"\n")


def test_every_line_is_given_to_whoever_looks_for_something_else_too() -> None:
    seen: list[LogLine] = []
    log = read_job_log(io.BytesIO(b"2026-05-11T09:14:02.0131000Z one\ntwo\n"), also=seen.append)
    assert seen == [LogLine(1, "one"), LogLine(2, "two")]
    assert log.lines == 2


def test_a_cause_inside_a_run_that_its_step_ended_counts() -> None:
    full = "OSError: [Errno 28] No space left on device"
    log = read(START, full, "##[error]Process completed with exit code 1.")
    assert log.infra == full
    assert log.stopped is not None
    assert log.stopped.line.number == 2


@pytest.mark.parametrize(
    "line", ["Killed", "manifest for a/b not found", "toomanyrequests: slow", "pull access denied for a/b"]
)
def test_a_cause_without_the_runners_mark_counts_outside_of_runs(line: str) -> None:
    assert read(line).infra == line
    assert read(START, line, "1 passed in 0.1s").infra is None


@pytest.mark.parametrize(
    ("line", "is_time_out"),
    [
        (
            "##[error]The job running on runner R 2 has exceeded the maximum execution time of 9 minutes.",
            True,
        ),
        (CANCELED, False),
        ("nothing", False),
    ],
)
def test_only_the_jobs_own_limit_is_its_time_out(line: str, *, is_time_out: bool) -> None:
    assert read(line).ran_out_of_time is is_time_out
