"""Artifacts: which job uploaded one, as far as names and times tell."""

from datetime import datetime, timedelta

import pytest
from evidence_builders import NOON

from app.domain.artifact import attribute_artifact, attribute_bundle
from app.domain.ids import JobId, RunId
from app.domain.run import Conclusion, Job


def job(
    number: int, name: str, start: int | None = 0, end: int | None = 10, *, runner: str | None = None
) -> Job:
    return Job(
        id=JobId(number),
        run_id=RunId(1),
        attempt=1,
        name=name,
        conclusion=Conclusion.FAILURE,
        started_at=None if start is None else NOON + timedelta(minutes=start),
        completed_at=None if end is None else NOON + timedelta(minutes=end),
        runner=runner,
        labels=(),
        failed_step=None,
        url="",
    )


def at(minute: int) -> datetime:
    return NOON + timedelta(minutes=minute)


MATRIX = [job(1, "test (3.11, ubuntu)"), job(2, "test (3.12, ubuntu)"), job(3, "lint")]


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("junit-3.12", 2),
        ("junit-py3.11-ubuntu", 1),
        ("results_python3.12", 2),
        ("junit-3.1", None),
        ("junit-13.12", None),
        ("junit-3.12.7", None),
        ("junit-ubuntu", None),
        ("lint", 3),
        ("coverage", None),
    ],
)
def test_matrix_values_in_both_names_decide(name: str, owner: int | None) -> None:
    assert attribute_artifact(name, at(5), MATRIX) == owner


def test_the_only_job_that_ran_uploaded_it() -> None:
    jobs = [job(1, "test (3.11)"), job(2, "test (3.12)", start=None)]
    assert attribute_artifact("anything-3.12", None, jobs) == 1


def test_shards_are_told_apart_by_their_numbers() -> None:
    jobs = [job(n, f"test ({n}/3)") for n in (1, 2, 3)]
    assert attribute_artifact("junit-2-3", at(5), jobs) == 2


def test_time_decides_where_names_do_not() -> None:
    jobs = [job(1, "alpha", 0, 10), job(2, "beta", 20, 30), job(3, "gamma", 40, None)]
    assert attribute_artifact("junit", at(5), jobs) == 1
    assert attribute_artifact("junit", at(25), jobs) == 2
    assert attribute_artifact("junit", at(99), jobs) == 3
    assert attribute_artifact("junit", at(15), jobs) is None


@pytest.mark.parametrize("created_at", [None, at(5)])
def test_two_jobs_at_one_time_are_not_guessed_between(created_at: datetime | None) -> None:
    assert attribute_artifact("junit", created_at, [job(1, "alpha"), job(2, "beta")]) is None


def test_a_name_without_letters_or_digits_tells_nothing() -> None:
    assert attribute_artifact("---", at(5), [job(1, "(—)"), job(2, "***")]) is None


def test_nothing_ran() -> None:
    assert attribute_artifact("junit", at(5), []) is None


ON_RUNNERS = [job(n, f"test ({n})", runner=f"GitHub Actions {n}") for n in (1, 2, 3)]
IN_TURN = [job(1, "test (1)", 0, 4, runner="box"), job(2, "test (2)", 5, 9, runner="box")]


@pytest.mark.parametrize(
    ("name", "minute", "jobs", "runner", "owner"),
    [
        ("flake-triage-test-2-1", 5, ON_RUNNERS, "GitHub Actions 3", 3),
        ("flake-triage-test-2-1", 5, ON_RUNNERS, "", None),
        ("flake-triage-test-0-2", 5, ON_RUNNERS, "another", None),
        ("replay-2", 5, ON_RUNNERS, "", 2),
        ("flake-triage-test-0-1", 7, IN_TURN, "box", 2),
        ("flake-triage-test-0-1", 3, IN_TURN, "box", 1),
        ("flake-triage-test-0-1", 20, IN_TURN, "box", None),
        ("flake-triage-test-0-1", None, IN_TURN, "box", None),
        ("flake-triage-lint-0-1", 5, MATRIX, "", 3),
        ("flake-triage-test-0-1", 5, [job(1, "test (1)", None, runner="box")], "box", None),
    ],
)
def test_a_bundle_is_of_the_job_on_the_machine_that_it_names(
    name: str, minute: int | None, jobs: list[Job], runner: str, owner: int | None
) -> None:
    """Its artifact's name ends with the job's place and the attempt, which are no matrix values."""
    assert attribute_bundle(name, None if minute is None else at(minute), jobs, runner=runner) == owner
