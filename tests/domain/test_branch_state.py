"""When a branch is red, since which head, and what does not decide it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.branch_state import BranchState, Colour, TestedHead, branch_state
from app.domain.ids import Sha
from app.domain.run import Conclusion

START = datetime(2026, 11, 1, tzinfo=UTC)
RED, GREEN, CANCELLED = Conclusion.FAILURE, Conclusion.SUCCESS, Conclusion.CANCELLED


def heads(*conclusions: Conclusion | None, workflow: str = "CI", first_key: int = 1) -> list[TestedHead]:
    """One head an hour, oldest first."""
    return [
        TestedHead(first_key + hour, workflow, Sha(f"{hour:040x}"), conclusion, START + timedelta(hours=hour))
        for hour, conclusion in enumerate(conclusions)
    ]


def test_a_branch_without_runs_is_not_known() -> None:
    assert branch_state([]) == BranchState(Colour.UNKNOWN)


def test_runs_that_decide_nothing_leave_it_not_known() -> None:
    assert branch_state(heads(None, CANCELLED, Conclusion.SKIPPED)).colour is Colour.UNKNOWN


@pytest.mark.parametrize("undecided", [None, CANCELLED, Conclusion.NEUTRAL, Conclusion.ACTION_REQUIRED])
def test_what_decides_nothing_does_not_end_a_red(undecided: Conclusion | None) -> None:
    assert branch_state(heads(GREEN, RED, undecided)).colour is Colour.RED


@pytest.mark.parametrize("red", [RED, Conclusion.TIMED_OUT, Conclusion.STARTUP_FAILURE])
def test_the_newest_deciding_run_decides(red: Conclusion) -> None:
    assert branch_state(heads(GREEN, red)).colour is Colour.RED
    state = branch_state(heads(red, GREEN))
    assert state.colour is Colour.GREEN
    assert state.newest is not None
    assert state.newest.key == 2
    assert state.streaks == ()


def test_the_red_begins_with_the_first_of_the_unbroken_ones() -> None:
    found = heads(RED, GREEN, RED, CANCELLED, RED)
    (streak,) = branch_state(found).streaks
    assert (streak.first.key, streak.newest.key) == (3, 5)
    assert streak.last_green == found[1]


def test_a_red_without_a_green_before_it_says_so() -> None:
    (streak,) = branch_state(heads(RED, RED)).streaks
    assert streak.last_green is None
    assert streak.first.key == 1


def test_one_red_workflow_is_enough_and_the_longest_red_stands_first() -> None:
    state = branch_state(
        [
            *heads(GREEN, GREEN, RED, workflow="docs"),
            *heads(GREEN, RED, RED, workflow="CI", first_key=11),
            *heads(RED, GREEN, GREEN, workflow="lint", first_key=21),
        ]
    )
    assert state.colour is Colour.RED
    assert [streak.workflow for streak in state.streaks] == ["CI", "docs"]


@given(st.permutations(heads(GREEN, RED, CANCELLED, GREEN, RED, None, RED)))
def test_the_order_of_arrival_changes_nothing(shuffled: list[TestedHead]) -> None:
    (streak,) = branch_state(shuffled).streaks
    assert (streak.first.key, streak.newest.key) == (5, 7)
