"""An earlier attempt's artifact is a gap of the job that was run again and left nothing, and of no other."""

from datetime import UTC, datetime, timedelta

import pytest

from app.domain.artifact import ArtifactRef, names_job
from app.domain.carried_artifacts import carried_over
from app.domain.gap import Gap, GapKind
from app.domain.ids import ArtifactId

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def made(number: int, name: str, minutes: int = 0) -> ArtifactRef:
    at = NOON + timedelta(minutes=minutes)
    return ArtifactRef(ArtifactId(number), name, 100, None, expired=False, created_at=at)


def test_the_job_that_made_it_left_nothing_this_time() -> None:
    assert list(carried_over([made(7, "results")], {7: "test (a)"}, ["test (a)", "test (b)"])) == [
        (
            "test (a)",
            Gap(
                GapKind.ARTIFACT_OF_OTHER_ATTEMPT,
                "results",
                "made by an earlier attempt of test (a) (2026-11-30 12:00 UTC); "
                "in this one the job uploaded nothing",
            ),
        )
    ]


def test_what_a_job_made_that_was_not_run_again_is_no_gap() -> None:
    assert not list(carried_over([made(7, "junit-test (b)")], {7: "test (b)"}, ["test (a)"]))
    assert not list(carried_over([made(7, "junit-test (a)")], {}, ["test (b)"]))


def test_without_a_known_maker_the_name_has_to_mean_one_job() -> None:
    found = carried_over([made(7, "junit-a", 5), made(9, "junit-b")], {}, ["test (a)", "test (b)"])
    assert [(job, gap.subject) for job, gap in found] == [("test (b)", "junit-b"), ("test (a)", "junit-a")]
    assert not list(carried_over([made(7, "junit-test-a-b")], {}, ["test (a)", "test (b)"]))


@pytest.mark.parametrize(
    ("artifact", "job", "means"),
    [
        ("junit-linux-3.12", "test (linux, 3.12)", True),
        ("junit-linux-3.1", "test (linux, 3.12)", False),
        ("junit-test", "test", True),
        ("junit-test-b", "test (a)", False),
        ("results", "test", False),
        ("junit-2-4", "test (2/4)", True),
    ],
)
def test_a_name_means_a_job_by_all_its_values(artifact: str, job: str, means: bool) -> None:  # noqa: FBT001
    assert names_job(artifact, job) is means
