"""The whole plan against simulated suspects: what it concludes, how often it is wrong, and what it costs."""

from collections import Counter
from dataclasses import replace
from statistics import fmean, median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_simulation import (
    CRASHED,
    MEASURED,
    POLICY,
    USUAL,
    Played,
    Rate,
    ladder_of,
    of_arms,
    play,
    question,
    same_in_all,
)

from app.domain.replay_words import Arm, ReplayVerdict
from worker.replay.plan.ladder import Ladder
from worker.replay.plan.next_step import next_step
from worker.replay.plan.probe_effect import probe_effect
from worker.replay.plan.question import Mixture, Stop
from worker.replay.plan.rows import Result, Row, of_arm, tally

SEEDS = range(60)


def _shares(played: list[Played]) -> dict[ReplayVerdict, float]:
    counts = Counter(one.verdict for one in played)
    return {verdict: count / len(played) for verdict, count in counts.items()}


@pytest.mark.parametrize("name", MEASURED)
def test_measured_timing_flakes_are_confirmed_within_a_minute(name: str) -> None:
    played = [play(of_arms(MEASURED[name]), seed) for seed in SEEDS]
    assert _shares(played)[ReplayVerdict.CONFIRMED_FLAKE] >= 0.95
    assert fmean(one.seconds for one in played) < 60


@pytest.mark.parametrize("name", MEASURED)
def test_a_flake_of_one_limit_is_told_from_its_control(name: str) -> None:
    """A contrast of at least five against five stands behind every confirmed limit."""
    for seed in SEEDS:
        rows = play(of_arms(MEASURED[name]), seed).rows
        failing = {row.arm for row in rows if row.result is Result.FAILED}
        if sum(row.result is Result.FAILED for row in rows) > 1:
            assert max(tally(of_arm(rows, arm)).trials for arm in failing) >= POLICY.contrast
            assert tally(of_arm(rows, Arm.PLAIN)).trials >= POLICY.contrast


def test_a_test_that_never_fails_is_never_confirmed_and_costs_what_the_rule_says() -> None:
    for seed in range(20):
        played = play(same_in_all(0.0), seed)
        assert played.verdict is ReplayVerdict.NOT_REPRODUCED
        assert tally(of_arm(played.rows, Arm.CPU_QUARTER)).trials >= POLICY.tightest
        assert 31 <= len(played.rows) <= 45


def test_noise_of_one_percent_is_seldom_taken_for_a_flake() -> None:
    """Even noise that looks the same each time; what agrees in signature and cause seldom is noise."""
    shares = _shares([play(same_in_all(0.01), seed) for seed in range(200)])
    assert shares.get(ReplayVerdict.CONFIRMED_FLAKE, 0) <= 0.10
    assert ReplayVerdict.DETERMINISTIC not in shares


@pytest.mark.parametrize(("rate", "least"), [(0.1, 0.85), (0.25, 0.97), (0.5, 0.9)])
def test_a_flake_at_any_limit_is_confirmed(rate: float, least: float) -> None:
    played = [play(same_in_all(rate), seed) for seed in SEEDS]
    assert _shares(played)[ReplayVerdict.CONFIRMED_FLAKE] >= least


def test_a_test_that_always_fails_is_deterministic_after_six() -> None:
    for seed in SEEDS:
        played = play(same_in_all(1.0), seed)
        assert played.verdict is ReplayVerdict.DETERMINISTIC
        assert len(played.rows) == POLICY.deterministic


def test_deterministic_trials_show_the_cause_with_the_probe_as_well() -> None:
    kinds = [row.bare for row in play(same_in_all(1.0), 1).rows]
    assert kinds[:3] == [True, True, True]
    assert False in kinds


@pytest.mark.parametrize("ladder", [CRASHED, USUAL])
def test_a_flake_that_the_probe_hides_is_confirmed_on_bare_trials(ladder: Ladder) -> None:
    played = [play(_bare_only(0.17), seed, ladder=ladder) for seed in SEEDS]
    assert _shares(played)[ReplayVerdict.CONFIRMED_FLAKE] >= 0.85
    assert all(row.bare for one in played for row in one.rows if row.result is Result.FAILED)


def test_a_failure_that_the_probe_always_hides_stays_deterministic() -> None:
    for seed in range(10):
        played = play(_bare_only(1.0), seed)
        assert played.verdict is ReplayVerdict.DETERMINISTIC
        assert probe_effect(played.rows, POLICY).is_changed


def test_a_failure_that_only_the_probe_brings_on_is_no_flake() -> None:
    for seed in range(10):
        played = play(lambda _arm, bare: 0.0 if bare else 1.0, seed)
        assert played.verdict is ReplayVerdict.NOT_REPRODUCED
        assert probe_effect(played.rows, POLICY).is_changed
        assert len(played.rows) <= 60


@pytest.mark.parametrize("rate", [0.1, 0.25, 0.5])
def test_a_harmless_probe_is_seldom_accused(rate: float) -> None:
    played = [play(same_in_all(rate), seed) for seed in range(100)]
    assert fmean(probe_effect(one.rows, POLICY).is_changed for one in played) <= 0.05


def test_failures_of_another_kind_confirm_nothing() -> None:
    always = play(same_in_all(1.0), 3, fails_as=Result.OTHER, is_signed=True)
    assert always.verdict is ReplayVerdict.OTHER_FAILURE
    under_a_limit = play(of_arms({Arm.CPU_QUARTER: 1.0}), 3, fails_as=Result.OTHER, is_signed=True)
    assert under_a_limit.verdict is ReplayVerdict.OTHER_FAILURE
    assert {row.arm for row in under_a_limit.rows} >= set(ladder_of(Arm.PAUSE, Arm.CPU_HALF).arms)


def test_the_plan_beats_plain_repetition_on_timing_flakes() -> None:
    """Plain repetition never fails there; the plan has its second failure after a handful of trials."""
    for rates in MEASURED.values():
        assert rates.get(Arm.PLAIN, 0.0) == 0.0
        played = [play(of_arms(rates), seed) for seed in SEEDS]
        assert median(_second_failure(one) for one in played) <= 12


@given(st.integers(0, 2**31), st.floats(0, 1), st.floats(1, 200))
@settings(max_examples=40, deadline=None)
def test_the_same_seed_and_outcomes_lead_to_the_same_trials(seed: int, rate: float, budget_s: float) -> None:
    first = play(same_in_all(rate), seed, budget_s=budget_s)
    assert first == play(same_in_all(rate), seed, budget_s=budget_s)
    assert first.seconds <= budget_s + 3
    assert [(row.arm, row.bare) for row in first.rows[:3]] == [(Arm.PLAIN, True)] * len(first.rows[:3])


def test_a_small_budget_is_told_as_one() -> None:
    played = play(same_in_all(0.0), 1, budget_s=5)
    assert played.verdict is ReplayVerdict.BUDGET_EXHAUSTED
    assert "budget" in played.why


def test_a_number_of_trials_for_each_arm_is_kept_whatever_happens() -> None:
    asked = question(1, ladder=ladder_of(Arm.PLAIN, Arm.CPU_HALF, Arm.PAUSE), each=5)
    for rate in (0.0, 0.5, 1.0):
        rows = play(same_in_all(rate), 1, asked=asked).rows
        assert Counter(row.arm for row in rows) == {Arm.PLAIN: 5, Arm.CPU_HALF: 5, Arm.PAUSE: 5}
        assert all(row.bare and row.arm is Arm.PLAIN for row in rows[:3])


def test_trials_of_counted_arms_meet_the_machine_in_turn() -> None:
    asked = question(1, ladder=ladder_of(Arm.CPU_HALF, Arm.PAUSE), each=4)
    arms = [row.arm for row in play(same_in_all(0.5), 1, asked=asked).rows]
    assert arms == [Arm.PLAIN] * 3 + [Arm.CPU_HALF, Arm.PAUSE] * 4


def test_an_arm_alone_gets_a_control_before_anything_is_said() -> None:
    """Without an opening, failures under a limit alone are neither a flake nor deterministic."""
    alone = replace(question(1, ladder=ladder_of(Arm.CPU_QUARTER)), plain_first=False)
    flipped = play(of_arms({Arm.CPU_QUARTER: 1.0}), 1, asked=alone)
    assert flipped.verdict is ReplayVerdict.CONFIRMED_FLAKE
    always = play(same_in_all(1.0), 1, asked=alone)
    assert always.verdict is ReplayVerdict.DETERMINISTIC
    assert tally(of_arm(always.rows, Arm.PLAIN)).trials >= POLICY.deterministic


@pytest.mark.parametrize("mixture", [Mixture.BARE_ONLY, Mixture.PROBED_ONLY])
def test_one_kind_of_trials_alone_is_enough_to_conclude(mixture: Mixture) -> None:
    asked = replace(question(1, ladder=ladder_of(Arm.CPU_QUARTER, Arm.PAUSE)), mixture=mixture)
    played = play(of_arms({Arm.CPU_QUARTER: 1.0}), 1, asked=asked)
    assert played.verdict is ReplayVerdict.CONFIRMED_FLAKE
    assert {row.bare for row in played.rows} == {mixture is Mixture.BARE_ONLY}


def test_arms_that_cannot_be_had_end_the_plan_and_not_the_report() -> None:
    rows = [Row(Arm.PLAIN, bare, Result.PASSED, 1.0) for bare in (True, True, True, False)]
    asked = question(1, ladder=ladder_of(Arm.MEMORY))
    said = next_step(asked, rows, closed=frozenset({Arm.MEMORY}), remaining_s=100)
    assert said == Stop("every arm that was open has had its trials")


def test_the_most_that_may_run_is_kept() -> None:
    assert len(play(same_in_all(0.0), 1, asked=question(1, most=7)).rows) == 7
    assert len(play(same_in_all(1.0), 1, asked=question(1, most=2)).rows) == 2


def _bare_only(rate: float) -> Rate:
    return lambda _arm, bare: rate if bare else 0.0


def _second_failure(played: Played) -> int:
    at = [number for number, row in enumerate(played.rows, 1) if row.result is Result.FAILED]
    return at[1] if len(at) > 1 else len(played.rows)


def test_a_rare_flake_of_a_test_that_is_slow_under_quotas_is_looked_for_where_trials_are_cheap() -> None:
    wall_s = {Arm.PLAIN: 5.0, Arm.CPU_QUARTER: 32.0, Arm.CPU_HALF: 15.0, Arm.PAUSE: 7.5}
    played = [play(same_in_all(0.05), seed, budget_s=600, wall_s=wall_s) for seed in SEEDS]
    assert _shares(played)[ReplayVerdict.CONFIRMED_FLAKE] >= 0.75
    passing = play(same_in_all(0.0), 1, budget_s=600, wall_s=wall_s)
    tight = of_arm(passing.rows, Arm.CPU_QUARTER)
    assert len(tight) < POLICY.tightest
    assert (passing.verdict, len(passing.rows) > 55) == (ReplayVerdict.NOT_REPRODUCED, True)
