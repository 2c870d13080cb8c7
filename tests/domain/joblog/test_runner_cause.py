"""Each cause outside of the tests is known by the words of the runner, the system or the registry."""

import itertools

import pytest

from app.domain.joblog.log_lines import LogLine
from app.domain.joblog.runner_cause import RunnerCause, Stopped, cause_of, more_telling

ERROR = "##[error]"


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (f"{ERROR}The runner has received a shutdown signal. This can happen", RunnerCause.SHUTDOWN),
        (f"{ERROR}The hosted runner: x lost communication with the server.", RunnerCause.LOST_RUNNER),
        (f"{ERROR}No space left on device : '/home/runner/x'", RunnerCause.DISK_FULL),
        ("System.IO.IOException: No space left on device", RunnerCause.DISK_FULL),
        ("OSError: [Errno 28] No space left on device: '/tmp/x'", RunnerCause.PROGRAM_DISK_FULL),
        ("Error response from daemon: manifest for acme/x:1 not found", RunnerCause.IMAGE_PULL),
        ("docker: Error response from daemon: manifest unknown.", RunnerCause.IMAGE_PULL),
        (f"{ERROR}toomanyrequests: You have reached your pull rate limit.", RunnerCause.IMAGE_PULL),
        (f"{ERROR}Docker pull failed with exit code 1", RunnerCause.IMAGE_PULL),
        (f"{ERROR}API rate limit exceeded for installation ID 7.", RunnerCause.RATE_LIMIT),
        (f"{ERROR}npm error 429 Too Many Requests - GET https://x", RunnerCause.RATE_LIMIT),
        (f"{ERROR}Failed to download action 'https://api.github.com/x'.", RunnerCause.DOWNLOAD),
        (f"{ERROR}The action 'Test' has timed out after 30 minutes.", RunnerCause.STEP_TIMEOUT),
        (
            f"{ERROR}The job running on runner x has exceeded the maximum execution time of 9 minutes.",
            RunnerCause.JOB_TIMEOUT,
        ),
        ("Killed", RunnerCause.KILLED),
        ("/home/runner/x.sh: line 1:  2137 Killed                  pytest -x", RunnerCause.KILLED),
        ("[ 12.3] Out of memory: Killed process 2137 (python)", RunnerCause.KILLED),
        (f"{ERROR}The operation was canceled.", RunnerCause.CANCELLED),
        (f"{ERROR}Process completed with exit code 137.", RunnerCause.EXIT_137),
        (f"{ERROR}Process completed with exit code 143.", RunnerCause.EXIT_143),
        (f"{ERROR}Process completed with exit code 1.", None),
        ("Killed 3 stale containers", None),
        ("the manifest of the release", None),
        ("API rate limit exceeded", None),
    ],
)
def test_a_line_tells_its_cause(line: str, cause: RunnerCause | None) -> None:
    assert cause_of(line) is cause


def test_the_more_telling_cause_wins_and_of_equal_ones_the_first() -> None:
    first, second = (Stopped(RunnerCause.CANCELLED, LogLine(number, "x")) for number in (1, 2))
    lost = Stopped(RunnerCause.LOST_RUNNER, LogLine(3, "y"))
    assert more_telling(None, None) is None
    assert more_telling(first, None) is first
    assert more_telling(None, first) is first
    assert more_telling(first, second) is first
    assert more_telling(first, lost) is lost
    assert more_telling(lost, first) is lost


def test_a_kill_only_suggests_that_memory_ran_out() -> None:
    assert [cause for cause in RunnerCause if cause.hint] == [RunnerCause.KILLED, RunnerCause.EXIT_137]


def test_what_the_runner_ended_tells_more_than_what_a_program_may_have_coped_with() -> None:
    order = list(RunnerCause)
    for_programs = {RunnerCause.PROGRAM_DISK_FULL, RunnerCause.IMAGE_PULL, RunnerCause.RATE_LIMIT}
    assert order.index(RunnerCause.JOB_TIMEOUT) < min(map(order.index, for_programs))
    for earlier, later in itertools.pairwise(order):
        first, second = Stopped(earlier, LogLine(1, "x")), Stopped(later, LogLine(2, "y"))
        assert more_telling(second, first) is first
