"""When a commit under test is red, which runs' failures are told, and which job executions stand."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.branch_state import Colour
from app.domain.commit_state import (
    CommitState,
    SeenJob,
    TestedAttempt,
    commit_state,
    standing_jobs,
    unread_keys,
)
from app.domain.ids import Sha
from app.domain.run import Conclusion

START = datetime(2026, 11, 1, tzinfo=UTC)
HEAD = Sha("b" * 40)
RED, GREEN, CANCELLED = Conclusion.FAILURE, Conclusion.SUCCESS, Conclusion.CANCELLED
SKIPPED, NEUTRAL = Conclusion.SKIPPED, Conclusion.NEUTRAL


def seen(
    key: int, conclusion: Conclusion | None, *, run: int | None = None, workflow: int = 1, event: str = "push"
) -> TestedAttempt:
    """Attempts begin in the order of their keys; each is a run of its own unless said otherwise."""
    at = START + timedelta(hours=key)
    return TestedAttempt(key, run or 100 + key, workflow, event, HEAD, conclusion, at)


def test_a_commit_without_attempts_is_not_known() -> None:
    assert commit_state([]) == CommitState(Colour.UNKNOWN)


def test_the_newest_deciding_run_of_a_workflow_speaks_for_it() -> None:
    assert commit_state([seen(1, RED), seen(2, GREEN)]) == CommitState(
        Colour.GREEN, passed=frozenset({102}), newest=2
    )
    assert commit_state([seen(1, GREEN), seen(2, RED)]) == CommitState(
        Colour.RED, told=frozenset({102}), newest=2
    )


def test_one_red_workflow_makes_it_red_and_only_its_run_is_told() -> None:
    found = [seen(1, RED), seen(2, GREEN, workflow=2), seen(3, RED, workflow=3), seen(4, GREEN, workflow=3)]
    assert commit_state(found) == CommitState(Colour.RED, frozenset({101}), frozenset({102, 104}), 4)


def test_a_green_rerun_of_an_older_run_says_nothing_of_a_red_one() -> None:
    found = [seen(1, RED, run=101), seen(2, RED, run=102), seen(3, GREEN, run=101)]
    assert commit_state(found) == CommitState(Colour.RED, frozenset({102}), frozenset({101}), 3)


def test_a_red_rerun_of_an_older_run_makes_it_red_all_the_same() -> None:
    found = [seen(1, RED, run=101), seen(2, GREEN, run=102), seen(3, RED, run=101)]
    assert commit_state(found).told == {101}


def test_a_green_rerun_of_the_run_begun_last_mends_it() -> None:
    found = [seen(1, GREEN, run=101), seen(2, RED, run=102), seen(3, GREEN, run=102)]
    assert commit_state(found).colour is Colour.GREEN


def test_the_run_begun_last_speaks_by_what_decided_of_it() -> None:
    found = [seen(1, RED, run=101), seen(2, CANCELLED, run=102), seen(3, GREEN, run=101)]
    assert commit_state(found).colour is Colour.GREEN


def test_two_events_of_one_workflow_are_two_checks() -> None:
    state = commit_state([seen(1, RED), seen(2, GREEN, event="pull_request")])
    assert (state.colour, state.told) == (Colour.RED, {101})


@pytest.mark.parametrize("nothing", [CANCELLED, SKIPPED, NEUTRAL, None, Conclusion.STALE])
@pytest.mark.parametrize("decided", [RED, GREEN])
def test_a_later_attempt_that_proves_nothing_changes_nothing(
    nothing: Conclusion | None, decided: Conclusion
) -> None:
    alone = commit_state([seen(1, decided)])
    assert commit_state([seen(1, decided), seen(2, nothing, run=101)]) == alone


@pytest.mark.parametrize("nothing", [CANCELLED, None, Conclusion.ACTION_REQUIRED])
def test_a_workflow_that_was_only_cut_off_keeps_the_commit_from_being_green(
    nothing: Conclusion | None,
) -> None:
    state = commit_state([seen(1, GREEN), seen(2, nothing, workflow=2)])
    assert (state.colour, state.told) == (Colour.UNKNOWN, {102})
    red = commit_state([seen(1, RED), seen(2, nothing, workflow=2)])
    assert (red.colour, red.told) == (Colour.RED, {101, 102})


@pytest.mark.parametrize("nothing", [SKIPPED, NEUTRAL])
def test_a_workflow_that_had_nothing_to_say_leaves_the_others_green(nothing: Conclusion) -> None:
    assert commit_state([seen(1, GREEN), seen(2, nothing, workflow=2)]).colour is Colour.GREEN
    assert commit_state([seen(2, nothing, workflow=2)]).colour is Colour.UNKNOWN


@given(
    st.permutations(
        [
            seen(1, RED),
            seen(2, GREEN),
            seen(3, CANCELLED, workflow=2),
            seen(4, RED, workflow=3),
            seen(5, None, workflow=3),
            seen(6, GREEN, event="pull_request"),
        ]
    )
)
def test_order_is_no_matter(found: list[TestedAttempt]) -> None:
    assert commit_state(found) == CommitState(Colour.RED, frozenset({103, 104}), frozenset({102, 106}), 6)


def test_a_partial_rerun_leaves_the_other_jobs_as_they_were() -> None:
    jobs = [SeenJob(1, 7, 1, "a", RED), SeenJob(2, 7, 1, "b", RED), SeenJob(3, 7, 2, "a", GREEN)]
    assert standing_jobs(jobs) == {2, 3}


def test_a_job_cancelled_in_a_rerun_stands_as_it_was() -> None:
    jobs = [SeenJob(1, 7, 1, "a", RED), SeenJob(2, 7, 2, "a", CANCELLED)]
    assert standing_jobs(jobs) == {1}
    assert standing_jobs(jobs[1:]) == {2}


def test_runs_and_jobs_of_one_name_stand_side_by_side() -> None:
    jobs = [SeenJob(1, 7, 1, "a", RED), SeenJob(2, 7, 1, "a", GREEN), SeenJob(3, 8, 1, "a", None)]
    assert standing_jobs(jobs) == {1, 2, 3}


def test_attempt_that_is_not_read_is_open_until_a_newer_one_of_its_check_is() -> None:
    unread, newer, other = seen(1, RED), seen(2, GREEN), seen(3, GREEN, workflow=2)
    assert unread_keys([unread, other], {3}) == {1}
    assert unread_keys([unread, newer, other], {2, 3}) == frozenset()
    assert unread_keys([newer, seen(4, CANCELLED)], {2}) == {4}


@pytest.mark.parametrize("nothing", [Conclusion.SKIPPED, Conclusion.NEUTRAL])
def test_unread_attempt_that_looked_at_nothing_leaves_nothing_open(nothing: Conclusion) -> None:
    assert unread_keys([seen(1, GREEN), seen(2, nothing)], {1}) == frozenset()
