"""A job's steps and their exit codes, by the runner's groups, or by the columns of a log that gh saved."""

import io

import pytest

from app.domain.joblog import job_steps, saved_columns
from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.joblog.job_steps import Step
from app.domain.joblog.saved_columns import UNKNOWN_STEP

STAMP = "2026-05-11T09:14:02.0131000Z "
CHECKOUT = ["##[group]Run actions/checkout@v4", "with:", "  fetch-depth: 1", "##[endgroup]", "HEAD is now at"]
SCRIPT = ["##[group]Run make test", "make test", "shell: /usr/bin/bash -e {0}", "##[endgroup]"]
EXIT_1 = "##[error]Process completed with exit code 1."


def read(*lines: str) -> JobLog:
    return read_job_log(io.BytesIO("".join(f"{STAMP}{line}\n" for line in lines).encode()))


def saved(*lines: tuple[str, str, str]) -> JobLog:
    text = "".join(f"{job}\t{step}\t{STAMP}{line}\n" for job, step, line in lines)
    return read_job_log(io.BytesIO(text.encode()))


def test_a_step_lasts_from_its_group_to_the_next_and_has_the_code_it_ended_with() -> None:
    log = read("Current runner version", *CHECKOUT, *SCRIPT, "1 failed", EXIT_1, "Post job cleanup.", "bye")
    assert log.steps == (
        Step("Run actions/checkout@v4", 2, 6),
        Step("Run make test", 7, 12, 1),
    )
    assert log.failed_steps == log.steps[1:]
    assert log.failed_steps[0].words == "step 'Run make test' ended with exit code 1"


@pytest.mark.parametrize(
    "printed",
    [
        ["##[group]Run the tests", "test a", "##[endgroup]"],
        ["##[group]Run the tests", "##[group]test a", "##[endgroup]"],
        ["##[group]test a", "##[endgroup]"],
    ],
)
def test_a_group_that_a_program_opens_is_no_step(printed: list[str]) -> None:
    assert [step.name for step in read(*SCRIPT, *printed, EXIT_1).steps] == ["Run make test"]


@pytest.mark.parametrize("action", ["./.github/actions/test", "docker://alpine:3", "acme/run/sub@v1"])
def test_an_action_without_inputs_is_a_step(action: str) -> None:
    assert [step.name for step in read(f"##[group]Run {action}", "##[endgroup]").steps] == [f"Run {action}"]


def test_the_last_exit_code_of_a_step_is_the_runners() -> None:
    (step,) = read(*SCRIPT, "##[error]Process completed with exit code 7.", "goes on", EXIT_1).steps
    assert step.exit_code == 1


def test_a_log_without_steps_has_none() -> None:
    assert read("a line", EXIT_1).steps == ()


def test_steps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_steps, "MAX_STEPS", 1)
    assert len(read(*SCRIPT, *SCRIPT).steps) == 1


def test_columns_of_a_saved_log_are_taken_away_and_name_the_steps() -> None:
    log = saved(
        ("test", "Set up job", "\ufeffCurrent runner version"),
        ("test", "Unit tests", "##[group]Run pytest"),
        (
            "test",
            "Unit tests",
            "=========================== short test summary info ============================",
        ),
        ("test", "Unit tests", "FAILED tests/test_a.py::test_x - assert False"),
        ("test", "Unit tests", EXIT_1),
    )
    assert log.steps == (Step("Set up job", 1, 1), Step("Unit tests", 2, 5, 1))
    assert [told.printed for told in log.told] == ["tests/test_a.py::test_x"]
    assert log.exit_codes == (1,)


def test_a_saved_log_of_several_jobs_names_them() -> None:
    log = saved(("a", "Test", "x"), ("b", "Test", EXIT_1))
    assert [step.name for step in log.steps] == ["a / Test", "b / Test"]


def test_where_gh_knows_no_step_the_groups_tell() -> None:
    log = saved(*[("test", UNKNOWN_STEP, line) for line in (*SCRIPT, EXIT_1)])
    assert [step.words for step in log.failed_steps] == ["step 'Run make test' ended with exit code 1"]


def test_lines_without_columns_in_a_saved_log_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_columns, "MAX_STARTS", 1)
    text = f"test\tA\t{STAMP}x\n{STAMP}{EXIT_1}\ntest\tB\t{STAMP}y\n"
    log = read_job_log(io.BytesIO(text.encode()))
    assert log.steps == (Step("A", 1, 3, 1),)
