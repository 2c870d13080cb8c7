"""Which runs of a list are read: none twice, none that ended before our time, none lost at an edge."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import RepoName, RunId, Sha
from app.domain.look_trouble import LookTrouble, renamed_told, trouble_told
from app.domain.run import ListedRun
from app.domain.run_listing import (
    DEEP_EVERY,
    DEEP_LOOK_BACK,
    LONGEST_RUN,
    LOOK_BACK,
    Covered,
    Missing,
    after_look,
    choose,
    distinct,
    horizon,
    is_deep,
    leads_on,
    missing,
    pause_until,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
LONG_AGO = NOW - timedelta(days=400)


def run(
    number: int = 1,
    *,
    attempt: int = 1,
    completed: bool = True,
    created: datetime = NOW - HOUR,
    ended: datetime | None = None,
    branch: str | None = "main",
    event: str = "push",
) -> ListedRun:
    return ListedRun(
        id=RunId(number),
        repo=RepoName("acme/gefen"),
        attempt=attempt,
        workflow="tests",
        event=event,
        head_sha=Sha("a" * 40),
        head_branch=branch,
        is_completed=completed,
        created_at=created,
        started_at=created,
        updated_at=created + timedelta(minutes=5) if ended is None else ended,
    )


def attempts(found: list[Missing]) -> list[tuple[int, int]]:
    return [(one.run.id, one.attempt) for one in found]


def test_recorded_attempts_are_not_missing() -> None:
    listed = [run(1), run(2), run(3, attempt=2)]
    found = missing(listed, {RunId(1): {1}, RunId(3): {1}}, since=LONG_AGO)
    assert attempts(found) == [(2, 1), (3, 2)]


def test_of_a_run_that_is_repeated_right_now_the_attempt_before_is_missing() -> None:
    assert attempts(missing([run(attempt=2, completed=False)], {}, since=LONG_AGO)) == [(1, 1)]


def test_a_run_in_its_first_attempt_is_not_missing_until_it_has_ended() -> None:
    assert missing([run(completed=False)], {}, since=LONG_AGO) == []


def test_a_run_that_ended_before_our_time_is_history() -> None:
    at = NOW - HOUR
    listed = [run(1, ended=at - timedelta(microseconds=1)), run(2, ended=at)]
    assert attempts(missing(listed, {}, since=at)) == [(2, 1)]


def test_a_run_listed_twice_counts_as_far_as_it_has_come() -> None:
    listed = [run(1, completed=False), run(1), run(1, completed=False), run(2, attempt=2), run(2)]
    assert [(one.id, one.attempt, one.is_completed) for one in distinct(listed)] == [
        (1, 1, True),
        (2, 2, True),
    ]


def test_default_branch_and_pull_requests_are_chosen_first_and_the_newest_of_them() -> None:
    found = [
        Missing(run(1, branch="topic", created=NOW), 1),
        Missing(run(2, branch="main", created=NOW - 3 * HOUR), 1),
        Missing(run(3, branch="topic", event="pull_request", created=NOW - 2 * HOUR), 1),
        Missing(run(4, branch=None, created=NOW - 4 * HOUR), 1),
        Missing(run(5, branch="main", created=NOW - 5 * HOUR), 1),
    ]
    chosen, left = choose(found, limit=2, default_branch="main")
    assert attempts(chosen) == [(2, 1), (3, 1)]
    assert attempts(left) == [(5, 1), (1, 1), (4, 1)]


def test_what_is_chosen_is_read_in_the_order_of_time() -> None:
    found = [Missing(run(number, created=NOW - number * HOUR), 1) for number in (1, 3, 2)]
    chosen, left = choose(found, limit=5, default_branch="main")
    assert attempts(chosen) == [(3, 1), (2, 1), (1, 1)]
    assert left == []


def test_the_next_look_goes_back_beyond_the_newest_run_seen() -> None:
    covered = after_look(
        Covered(LONG_AGO), [run(created=NOW - HOUR)], [], now=NOW, deep=False, unchanged=False
    )
    assert horizon(covered, now=NOW, deep=False) == NOW - HOUR - LOOK_BACK


def test_after_a_long_outage_a_look_goes_back_to_where_the_last_one_came() -> None:
    seen = NOW - timedelta(days=60)
    assert horizon(Covered(LONG_AGO, seen_until=seen), now=NOW, deep=False) == seen - LOOK_BACK


def test_a_run_created_in_the_future_does_not_end_the_looking() -> None:
    odd = run(created=NOW + timedelta(days=900))
    covered = after_look(Covered(LONG_AGO), [odd], [], now=NOW, deep=False, unchanged=False)
    assert horizon(covered, now=NOW, deep=False) == NOW - LOOK_BACK


def test_an_unfinished_run_is_looked_at_until_it_has_ended() -> None:
    begun = NOW - timedelta(days=3)
    first = after_look(
        Covered(LONG_AGO),
        [run(1), run(2, completed=False, created=begun)],
        [],
        now=NOW,
        deep=False,
        unchanged=False,
    )
    assert horizon(first, now=NOW, deep=False) == begun
    unchanged = after_look(first, [run(3)], [], now=NOW, deep=False, unchanged=True)
    assert horizon(unchanged, now=NOW, deep=False) == begun
    ended = after_look(first, [run(1), run(2, created=begun)], [], now=NOW, deep=False, unchanged=False)
    assert ended.open_since is None


def test_a_run_that_can_be_unfinished_no_more_is_not_waited_for() -> None:
    stuck = run(completed=False, created=NOW - LONGEST_RUN)
    covered = after_look(Covered(LONG_AGO), [stuck], [], now=NOW, deep=False, unchanged=False)
    assert covered.open_since is None


def test_older_reruns_are_looked_for_now_and_then() -> None:
    covered = after_look(Covered(LONG_AGO), [run()], [], now=NOW, deep=False, unchanged=False)
    assert not is_deep(Covered(LONG_AGO), now=NOW)
    assert not is_deep(covered, now=NOW + DEEP_EVERY - HOUR)
    later = NOW + DEEP_EVERY
    assert is_deep(covered, now=later)
    assert horizon(covered, now=later, deep=True) == NOW - HOUR - DEEP_LOOK_BACK
    again = after_look(covered, [run()], [], now=later, deep=True, unchanged=False)
    assert not is_deep(again, now=later + HOUR)


def test_what_the_first_look_leaves_unread_stays_history() -> None:
    left = [Missing(run(1, ended=NOW - HOUR), 1), Missing(run(2, ended=NOW - 2 * HOUR), 1)]
    covered = after_look(
        Covered(LONG_AGO), [one.run for one in left], left, now=NOW, deep=False, unchanged=False
    )
    assert missing([one.run for one in left], {}, since=covered.since) == []
    assert attempts(missing([run(3, ended=NOW)], {}, since=covered.since)) == [(3, 1)]


def test_a_look_that_lists_nothing_leaves_what_was_covered() -> None:
    covered = after_look(Covered(LONG_AGO), [], [], now=NOW, deep=False, unchanged=False)
    assert (covered.since, covered.seen_until, covered.is_first) == (LONG_AGO, LONG_AGO, False)


def test_one_late_run_among_older_ones_does_not_end_the_walk() -> None:
    page = [run(1, created=NOW - 5 * HOUR), run(2, created=NOW - HOUR)]
    assert leads_on(page, NOW - 2 * HOUR)
    assert not leads_on(page, NOW)
    assert not leads_on([], LONG_AGO)
    new, old = [run(1, created=NOW)] * 90, [run(2, created=NOW - 5 * HOUR)] * 10
    assert not leads_on([*new, *old], NOW - HOUR)


@pytest.mark.parametrize(
    ("remaining", "resets_at", "waits"),
    [(13, NOW + HOUR, False), (12, NOW + HOUR, True), (0, NOW + HOUR, True), (0, NOW, False)],
)
def test_a_share_of_the_budget_is_left_to_others(remaining: int, resets_at: datetime, *, waits: bool) -> None:
    until = pause_until(limit=60, remaining=remaining, resets_at=resets_at, now=NOW)
    assert until == (resets_at if waits else None)


RUNS = st.builds(
    run,
    st.integers(1, 6),
    attempt=st.integers(1, 3),
    completed=st.booleans(),
    created=st.integers(-3, 100).map(lambda hours: NOW - hours * HOUR),
)


@given(st.lists(RUNS, max_size=20), st.dictionaries(st.integers(1, 6).map(RunId), st.sets(st.integers(1, 3))))
def test_whatever_is_listed_no_recorded_attempt_and_no_run_twice_is_missing(
    listed: list[ListedRun], recorded: dict[RunId, set[int]]
) -> None:
    found = missing(listed, recorded, since=LONG_AGO)
    assert len({one.run.id for one in found}) == len(found)
    for one in found:
        assert 1 <= one.attempt <= one.run.attempt
        assert one.attempt not in recorded.get(one.run.id, set())
    for listed_run in distinct(listed):
        if listed_run.is_completed and listed_run.attempt not in recorded.get(listed_run.id, set()):
            assert (listed_run.id, listed_run.attempt) in attempts(found)


@given(st.lists(RUNS, max_size=20), st.integers(1, 8))
def test_choosing_loses_nothing(listed: list[ListedRun], limit: int) -> None:
    found = missing(listed, {}, since=LONG_AGO)
    chosen, left = choose(found, limit=limit, default_branch="main")
    assert len(chosen) == min(limit, len(found))
    assert sorted(attempts(chosen + left)) == sorted(attempts(found))


@given(st.lists(RUNS, min_size=1, max_size=20), st.lists(RUNS, max_size=20))
def test_looks_go_back_to_every_unfinished_run(first: list[ListedRun], second: list[ListedRun]) -> None:
    covered = after_look(Covered(NOW - 200 * HOUR), first, [], now=NOW, deep=False, unchanged=False)
    until = horizon(covered, now=NOW, deep=False)
    assert all(one.created_at >= until for one in distinct(first) if not one.is_completed)
    further = after_look(covered, second, [], now=NOW, deep=False, unchanged=False)
    assert covered.seen_until is not None
    assert further.seen_until is not None
    assert further.seen_until >= covered.seen_until


def test_trouble_says_what_somebody_has_to_do() -> None:
    assert {one for one in LookTrouble if one.needs_somebody} == {
        LookTrouble.GONE,
        LookTrouble.REFUSED,
        LookTrouble.CREDENTIALS,
    }
    assert "misspelt" in trouble_told(LookTrouble.GONE, "GitHub answered 404")
    assert trouble_told(LookTrouble.AWAY, "no answer").endswith("(no answer)")
    assert trouble_told(LookTrouble.LIMITED, "") == "waits for GitHub's limits"
    assert "acme/other" in renamed_told("acme/other")
