"""What GitHub notes at a job is a cause where it says more than that something failed."""

import io

import pytest

from app.domain.annotation import Annotation, cause_noted
from app.domain.categorise import categorise
from app.domain.category import Category
from app.domain.job_results import gather_results
from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.outcome import Failed
from app.domain.run import Conclusion

LOST = (
    "The self-hosted runner: linux-7 lost communication with the server. Verify the machine is running and "
    "has a healthy network connection."
)
FOUR_LINES = (
    "Requested labels: self-hosted",
    "Job defined at: octo/lib/.github/workflows/ci.yml@refs/heads/main",
    "Waiting for a runner to pick up this job...",
    "Job is about to start running on the runner: linux-7 (repository)",
)


def noted(message: str, level: str = "failure") -> Annotation:
    return Annotation(level, "", message)


def log(*lines: str) -> JobLog:
    return read_job_log(io.BytesIO("".join(f"{line}\n" for line in lines).encode()))


def test_failures_are_told_once_each_and_warnings_are_not() -> None:
    told = [noted("Node.js 16 is deprecated", "warning"), noted(LOST), noted("a\nb"), noted(LOST)]
    assert cause_noted(told) == f"{LOST}\n\na b"


def test_what_says_only_that_it_failed_is_no_cause() -> None:
    assert cause_noted([noted("Process completed with exit code 1."), noted(""), noted("x", "notice")]) == ""


def test_many_and_long_messages_are_bounded() -> None:
    assert len(cause_noted([noted(f"{n} " + "x" * 9_000) for n in range(50)])) < 41_000


@pytest.mark.parametrize("told", [None, log(*FOUR_LINES)], ids=["no log", "four lines"])
def test_a_lost_runner_is_told_by_its_annotation_and_no_test_is_blamed(told: JobLog | None) -> None:
    found = gather_results("test", Conclusion.FAILURE, [], told, LOST)
    assert found.results == ()
    assert found.untold == Failed(LOST, LOST)
    assert categorise("", LOST) is Category.INFRA


def test_a_log_that_names_a_cause_goes_first() -> None:
    shutdown = "##[error]The runner has received a shutdown signal."
    found = gather_results("test", Conclusion.FAILURE, [], log(shutdown), LOST)
    assert found.untold is not None
    assert found.untold.message == shutdown
