"""When enough is known: Wald's test at the policy's rates, and the posterior beside it."""

from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.sequential import Wald, probability_above

WALD = Wald.of(PlanPolicy())


def test_thirty_one_straight_passes_reject_a_flake_of_ten_percent() -> None:
    assert WALD.passes_to_reject == 31
    assert WALD.is_noise(0, 31)
    assert not WALD.is_noise(0, 30)


def test_a_second_failure_accepts_if_it_comes_within_nineteen_trials() -> None:
    assert WALD.is_flake(2, 17)
    assert not WALD.is_flake(2, 18)


def test_one_failure_alone_decides_nothing_for_long() -> None:
    assert not WALD.is_flake(1, 0)
    assert not WALD.is_noise(1, 54)
    assert WALD.is_noise(1, 56)


def test_the_policy_waits_for_a_second_failure_as_long_as_it_would_still_convince() -> None:
    last = PlanPolicy().most_after_failure
    assert probability_above(0.02, 2, last) > 0.95
    assert probability_above(0.02, 2, last + 2) < 0.95
