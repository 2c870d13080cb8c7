"""Which artifacts of a run an attempt made, however late they are listed or quickly the next one begins."""

from dataclasses import replace
from datetime import datetime, timedelta

from bench import NOON
from finished_attempt import ATTEMPT

from app.domain.artifact import ArtifactRef
from app.domain.gap import Gap, GapKind
from app.domain.ids import ArtifactId
from worker.fetching.own_artifacts import OwnArtifacts, own_artifacts

FIRST = replace(ATTEMPT, started_at=NOON, completed_at=NOON + timedelta(seconds=60))


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def made(number: int, seconds: float, name: str = "junit") -> ArtifactRef:
    return ArtifactRef(ArtifactId(number), name, 100, None, expired=False, created_at=at(seconds))


def ids(artifacts: tuple[ArtifactRef, ...]) -> list[int]:
    return [artifact.id for artifact in artifacts]


def test_an_attempt_ends_where_the_next_begins() -> None:
    listed = [made(2, 75), made(1, 50)]
    assert ids(own_artifacts(listed, FIRST, at(65)).found) == [1]
    assert ids(own_artifacts([made(2, 65)], FIRST, at(65)).found) == []


def test_of_one_name_the_first_counts_where_another_attempt_followed() -> None:
    listed = [made(1, 50), made(2, 64), made(3, 40, "other")]
    assert ids(own_artifacts(listed, FIRST, at(65)).found) == [1, 3]
    assert ids(own_artifacts(listed, FIRST, None).found) == [2, 3]


def test_artifacts_of_an_earlier_attempt_are_not_taken() -> None:
    second = replace(FIRST, attempt=2, started_at=at(65), completed_at=at(120))
    assert ids(own_artifacts([made(1, 50), made(2, 110)], second, None).found) == [2]


def test_what_seems_older_than_the_first_attempt_is_its_own() -> None:
    own = own_artifacts([made(1, -3)], FIRST, None)
    assert (ids(own.found), ids(own.earlier)) == ([1], [])


def test_ids_do_not_grow_with_attempts_and_times_do() -> None:
    second = replace(FIRST, attempt=2, started_at=at(65), completed_at=at(120))
    listed = [made(200, 40), made(100, 110), made(90, 50, "other"), made(300, 20, "other")]
    own = own_artifacts(listed, second, None)
    assert (ids(own.found), ids(own.earlier)) == ([100], [90])


def test_what_came_long_after_the_end_is_a_gap_that_names_it() -> None:
    own = own_artifacts([made(1, 50), made(2, 181, "late")], FIRST, None)
    assert ids(own.found) == [1]
    detail = "made after the attempt had ended, so not read: late"
    assert own.gap(FIRST) == Gap(GapKind.RESULTS_UNATTRIBUTED, "attempt 1", detail)
    assert own_artifacts([made(2, 181, "late")], FIRST, at(170)).gap(FIRST) is None


def test_many_late_artifacts_are_counted() -> None:
    gap = OwnArtifacts((), tuple(made(n, 300, f"a{n}") for n in range(7))).gap(FIRST)
    assert gap is not None
    assert gap.detail.endswith("a0, a1, a2, a3, a4 and 2 more")
