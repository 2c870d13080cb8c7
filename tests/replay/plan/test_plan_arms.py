"""What each arm does to a trial, and that its seed decides the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.replay_words import Arm
from worker.replay.limits import QUOTA_PERIOD_US, Limits
from worker.replay.plan.arms import Ground, is_long_pause, limits_of, needs_probe, perturbation_of, seed_of
from worker.replay.plan.policy import PlanPolicy
from worker.replay.trial import Perturbation

POLICY = PlanPolicy()
ASKED = Limits(timeout_s=60)
GROUND = Ground(ASKED, plain_seconds=20.0, peak_bytes=500_000_000)


@pytest.mark.parametrize(("arm", "cpus"), [(Arm.CPU_1, 1.0), (Arm.CPU_HALF, 0.5), (Arm.CPU_QUARTER, 0.25)])
def test_quotas_keep_the_period_of_containers(arm: Arm, cpus: float) -> None:
    limits = limits_of(arm, GROUND, POLICY)
    assert (limits.cpus, limits.period_us) == (cpus, QUOTA_PERIOD_US)


@given(st.sampled_from(Arm), st.floats(0.1, 8))
def test_no_arm_is_looser_than_what_was_asked(arm: Arm, cpus: float) -> None:
    limits = limits_of(arm, Ground(Limits(60, cpus=cpus, memory_bytes=10**9), 1.0, 10**8), POLICY)
    assert limits.cpus is not None
    assert limits.cpus <= cpus
    assert limits.memory_bytes == 10**9


def test_plain_is_nothing_but_what_was_asked() -> None:
    assert limits_of(Arm.PLAIN, GROUND, POLICY) == ASKED
    assert perturbation_of(Arm.PLAIN, GROUND, POLICY, seed=1) == Perturbation()


def test_memory_is_never_under_the_peak_with_its_headroom() -> None:
    assert limits_of(Arm.MEMORY, GROUND, POLICY).memory_bytes == 600_000_000


def test_memory_cannot_be_limited_before_the_peak_is_known() -> None:
    with pytest.raises(ValueError, match="how much memory"):
        limits_of(Arm.MEMORY, Ground(ASKED), POLICY)


def test_ports_narrow_the_range() -> None:
    assert limits_of(Arm.PORTS, GROUND, POLICY).ports == 32


def test_neighbours_burn_beside_a_tree_of_low_weight() -> None:
    assert limits_of(Arm.NEIGHBOURS, GROUND, POLICY).low_weight
    assert perturbation_of(Arm.NEIGHBOURS, GROUND, POLICY, seed=1).busy_neighbours == 4


@pytest.mark.parametrize("arm", [Arm.STORE_DELAY, Arm.SKEW])
def test_delays_are_capped_in_sum_by_a_share_of_a_plain_trial(arm: Arm) -> None:
    delay = perturbation_of(arm, GROUND, POLICY, seed=1)
    assert delay.most_delay_s == pytest.approx(4.0)
    assert (delay.store_delay_s > 0) is (arm is Arm.STORE_DELAY)
    assert (delay.skew_s > 0) is (arm is Arm.SKEW)
    assert needs_probe(arm)


def test_pauses_are_long_and_short_by_turns_for_bare_and_probed_trials_alike() -> None:
    seeds: list[int] = []
    for number in range(8):
        seeds.append(seed_of(5, number, earlier=seeds, failed=[]))
    kinds = [is_long_pause(seed) for seed in seeds]
    assert kinds == [True, True, False, False, True, True, False, False]


@pytest.mark.parametrize("is_long", [True, False])
def test_pauses_of_the_kind_that_failed_are_repeated(*, is_long: bool) -> None:
    failed = 8 + is_long
    kinds = [is_long_pause(seed_of(5, number, earlier=range(number), failed=[failed])) for number in range(8)]
    assert kinds == [is_long] * 8
    both = [is_long_pause(seed_of(5, number, earlier=range(number), failed=[8, 9])) for number in range(4)]
    assert both == [True, True, False, False]


def test_a_seed_says_how_long_the_pauses_are() -> None:
    long = perturbation_of(Arm.PAUSE, GROUND, POLICY, seed=3)
    short = perturbation_of(Arm.PAUSE, GROUND, POLICY, seed=4)
    assert long.pause_ms == (1.0, 2_000.0)
    assert (short.pause_ms, short.pause_gap_ms) == ((1.0, 30.0), (0.0, 10.0))


@given(st.integers(0, 2**31), st.integers(1, 500))
def test_seeds_follow_from_the_replays_seed(seed: int, number: int) -> None:
    first = seed_of(seed, number, earlier=[], failed=[])
    assert first == seed_of(seed, number, earlier=[], failed=[])
    assert first != seed_of(seed + 1, number, earlier=[], failed=[])
