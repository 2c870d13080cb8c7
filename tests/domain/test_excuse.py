"""What clears a change and what does not: the guards behind "not yours"."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.domain.evidence import BaseState, Observation, Recurrence, Relation, Unseen
from app.domain.excuse import sort_outside
from app.domain.gap import Gap, GapKind
from app.domain.ids import Sha
from app.domain.outcome import OutcomeKind
from app.domain.policy import VerdictPolicy
from app.domain.tested_tree import UNKNOWN_TREE

POLICY = VerdictPolicy()
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def seen(run: int, outcome: OutcomeKind, *, hours: float = 0, sha: str = "m") -> Observation:
    return Observation(
        run=run,
        attempt=1,
        job_id=run,
        job="test",
        variant="test",
        event="push",
        sha=Sha(sha * 40),
        branch="main",
        pull=None,
        outcome=outcome,
        tested=UNKNOWN_TREE,
        at=NOON + timedelta(hours=hours),
        url="",
    )


def outside(run: int = 1, *, hours: float = 0, sha: str = "a") -> Recurrence:
    return Recurrence(seen(run, OutcomeKind.FAILED, hours=hours, sha=sha), Relation.WITHOUT_CHANGE, "known")


def passes(count: int, *, first_run: int = 100, hours: float = 1) -> tuple[Observation, ...]:
    return tuple(seen(first_run + index, OutcomeKind.PASSED, hours=hours) for index in range(count))


def clearing(
    found: list[Recurrence], outcomes: tuple[Observation, ...] = (), *, flipped: bool = False
) -> list[int]:
    base = BaseState("main", outcomes)
    cleared, doubted = sort_outside(found, base, POLICY, flipped_here=flipped)
    assert len(cleared) + len(doubted) == len(found), "each is told, whatever it is worth"
    return [one.observation.run for one in cleared]


def test_the_same_failure_without_the_change_clears_it() -> None:
    assert clearing([outside(1)]) == [1]


def test_it_clears_also_where_nothing_is_known_of_the_base() -> None:
    cleared, _ = sort_outside([outside(1)], None, POLICY, flipped_here=False)
    assert [one.observation.run for one in cleared] == [1]


def test_a_failure_from_a_fork_clears_nothing() -> None:
    assert clearing([replace(outside(1), from_fork=True)]) == []


@pytest.mark.parametrize(("same", "expected"), [(True, [1]), (None, [1]), (False, [])])
def test_values_that_differ_are_another_failure(same: bool | None, expected: list[int]) -> None:  # noqa: FBT001 - a case
    assert clearing([replace(outside(1), same_values=same)]) == expected


def test_a_failure_that_the_base_has_outlived_clears_nothing() -> None:
    assert clearing([outside(1)], passes(20), flipped=True) == []


def test_a_base_that_failed_again_has_not_outlived_it() -> None:
    failed = seen(99, OutcomeKind.FAILED, hours=2)
    assert clearing([outside(1)], (*passes(20), failed), flipped=True) == [1]


def test_twenty_attempts_of_one_run_are_one_run() -> None:
    attempts = tuple(replace(seen(100, OutcomeKind.PASSED, hours=1), attempt=n) for n in range(1, 21))
    assert clearing([outside(1)], attempts) == [1]


def test_a_run_that_failed_in_any_attempt_is_no_clean_run() -> None:
    twice = (seen(100, OutcomeKind.PASSED, hours=-2), seen(100, OutcomeKind.FAILED, hours=-2))
    both_orders = [passes(19, hours=-2) + twice, passes(19, hours=-2) + twice[::-1]]
    assert [clearing([outside(1)], base) for base in both_orders] == [[1], [1]]


def test_against_a_clean_base_one_commit_is_not_enough() -> None:
    clean = passes(20, hours=-1)
    assert clearing([outside(1)], clean) == []
    assert clearing([outside(1), outside(2, sha="b")], clean) == [1, 2]
    assert clearing([outside(1), outside(2, sha="a")], clean) == []


def test_against_a_clean_base_another_job_or_parameter_does_not_count() -> None:
    clean = passes(20, hours=-1)
    other_job = replace(outside(3, sha="c"), same_variant=False)
    other_parameter = replace(outside(4, sha="d"), same_test=False)
    assert clearing([outside(1), other_job, other_parameter], clean) == []
    assert clearing([outside(1), outside(2, sha="b"), other_job], clean) == [1, 2]


def test_what_flipped_on_one_tree_is_cleared_by_one_commit_whatever_the_base() -> None:
    assert clearing([outside(1)], passes(20, hours=-1), flipped=True) == [1]


def test_each_doubt_says_why() -> None:
    found = [replace(outside(1), from_fork=True), replace(outside(2, sha="b"), same_values=False), outside(3)]
    _, doubted = sort_outside(found, BaseState("main", passes(20)), POLICY, flipped_here=True)
    assert [(one.recurrence.observation.run, one.why) for one in doubted] == [
        (1, "it comes from a fork, whose files anybody can make up"),
        (2, "the values that were compared differ"),
        (3, "the base passed 20 times since, without a failure"),
    ]


def test_what_is_alike_in_all_but_its_number_leaves_open_whose_it_is() -> None:
    other_job = replace(outside(2, sha="b"), same_variant=False)
    made_up = replace(outside(3, sha="c"), from_fork=True)
    base = BaseState("main", passes(20, hours=-1))
    _, doubted = sort_outside([outside(1), other_job, made_up], base, POLICY, flipped_here=False)
    assert [(one.recurrence.observation.run, one.leaves_open) for one in doubted] == [
        (1, True),
        (2, False),
        (3, False),
    ]
    assert doubted[2].why == "it comes from a fork, whose files anybody can make up"


def unseen(runs: int, *, hours: float = -1) -> Unseen:
    gap = Gap(GapKind.RUNS_UNREAD, f"{runs} runs before noon", "left unread")
    return Unseen(runs, NOON + timedelta(hours=hours), gap)


def cleared_beside(
    found: list[Recurrence], outcomes: tuple[Observation, ...], *hidden: Unseen, flipped: bool = False
) -> tuple[list[int], list[str]]:
    base = BaseState("main", outcomes, hidden)
    cleared, doubted = sort_outside(found, base, POLICY, flipped_here=flipped)
    return [one.observation.run for one in cleared], [one.why for one in doubted]


UNSEEN_20 = (
    "nobody can say whether the base passed in 20 runs before noon (left unread), which would outweigh it"
)


def test_runs_of_the_base_that_nobody_can_look_at_may_have_proven_it() -> None:
    assert cleared_beside([outside(1)], (), unseen(20)) == ([], [UNSEEN_20])


def test_too_few_unseen_runs_to_prove_the_base_overturn_nothing() -> None:
    assert cleared_beside([outside(1)], passes(15, hours=-1), unseen(4)) == ([1], [])
    assert cleared_beside([outside(1)], passes(15, hours=-1), unseen(5))[0] == []


def test_unseen_runs_cannot_make_a_base_clean_that_failed() -> None:
    failed = seen(99, OutcomeKind.FAILED, hours=-2)
    assert cleared_beside([outside(1)], (failed,), unseen(20)) == ([1], [])


def test_unseen_runs_may_have_outlived_an_older_failure_only() -> None:
    for hours, expected in ((1, []), (-1, [1])):
        cleared, _ = cleared_beside([outside(1)], (), unseen(20, hours=hours), flipped=True)
        assert cleared == expected


def test_two_commits_clear_beside_unseen_runs_and_another_test_does_not() -> None:
    other = replace(outside(3, sha="c"), same_test=False)
    cleared = cleared_beside([outside(1), outside(2, sha="b"), other], (), unseen(20))
    assert cleared == ([1, 2], [UNSEEN_20])
