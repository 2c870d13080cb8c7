"""The verdict's word and its sentence, from counts alone."""

import pytest
from plan_simulation import POLICY

from app.domain.replay_words import Arm, FindingKind, ReplayVerdict
from worker.replay.plan.probe_effect import ProbeEffect, are_split, deciding, probe_effect
from worker.replay.plan.rows import Result, Row
from worker.replay.plan.sensitivity import sensitivities
from worker.replay.plan.sentences import probe_sentence, verdict_sentence
from worker.replay.plan.verdict import judge

F, P, E, N, V = Result.FAILED, Result.PASSED, Result.OTHER, Result.NOTHING, Result.VOID


def _rows(results: list[Result], arm: Arm = Arm.PLAIN, *, bare: bool = True) -> list[Row]:
    return [Row(arm, bare, result, 1.0) for result in results]


def _judge(rows: list[Row], *, is_signed: bool = False) -> ReplayVerdict:
    return judge(rows, POLICY, is_signed=is_signed)


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ([], ReplayVerdict.BUDGET_EXHAUSTED),
        (_rows([N, N, N]), ReplayVerdict.NO_TRIAL),
        (_rows([V, V]), ReplayVerdict.NO_TRIAL),
        (_rows([P] * 9), ReplayVerdict.BUDGET_EXHAUSTED),
        (_rows([P] * 9 + [N] * 5), ReplayVerdict.BUDGET_EXHAUSTED),
        (_rows([P] * 10), ReplayVerdict.NOT_REPRODUCED),
        (_rows([F]), ReplayVerdict.REPRODUCED_ONCE),
        (_rows([F, P, P, P]), ReplayVerdict.REPRODUCED_ONCE),
        (_rows([F, F, P]), ReplayVerdict.CONFIRMED_FLAKE),
        (_rows([F, F, N]), ReplayVerdict.REPRODUCED_ONCE),
        (_rows([F] * 5), ReplayVerdict.REPRODUCED_ONCE),
        (_rows([F] * 6), ReplayVerdict.DETERMINISTIC),
        (_rows([F] * 6) + _rows([P], Arm.CPU_1), ReplayVerdict.CONFIRMED_FLAKE),
        (_rows([F] * 9, Arm.CPU_QUARTER), ReplayVerdict.REPRODUCED_ONCE),
        (_rows([P] * 5 + [F], Arm.PLAIN) + _rows([F], Arm.PAUSE), ReplayVerdict.CONFIRMED_FLAKE),
        (_rows([P, E, E]), ReplayVerdict.OTHER_FAILURE),
        (_rows([F, F, F, E, E, E]), ReplayVerdict.DETERMINISTIC),
    ],
)
def test_verdicts_follow_from_counts(rows: list[Row], verdict: ReplayVerdict) -> None:
    assert _judge(rows) is verdict


def test_a_given_failure_is_deterministic_only_if_it_is_what_fails() -> None:
    assert _judge(_rows([E] * 6), is_signed=True) is ReplayVerdict.OTHER_FAILURE
    assert _judge(_rows([F] * 5 + [E]), is_signed=True) is ReplayVerdict.REPRODUCED_ONCE
    assert _judge(_rows([F] * 6), is_signed=True) is ReplayVerdict.DETERMINISTIC


def test_what_always_contradicts_an_opaque_original_is_another_failure() -> None:
    assert _judge(_rows([E] * 6)) is ReplayVerdict.OTHER_FAILURE


def test_bare_trials_decide_where_the_probe_changes_the_rate() -> None:
    hidden = _rows([F] * 6) + _rows([P] * 6, bare=False)
    assert _judge(hidden) is ReplayVerdict.DETERMINISTIC
    brought_on = _rows([P] * 10) + _rows([F] * 10, bare=False)
    assert _judge(brought_on) is ReplayVerdict.NOT_REPRODUCED


def test_incident_rates_bare_and_probed_are_found_to_differ() -> None:
    rows = _rows([F] * 6 + [P] * 41) + _rows([P] * 73, bare=False)
    effect = probe_effect(rows, POLICY)
    assert effect.is_changed
    assert effect.hides
    assert (effect.bare_failures, effect.bare_trials, effect.probed_failures, effect.probed_trials) == (
        *(6, 47),
        *(0, 73),
    )
    assert "6 of 47" in probe_sentence(effect)
    assert "hides" in probe_sentence(effect)
    assert all(row.bare for row in deciding(rows, POLICY))


def test_arms_without_both_kinds_say_nothing_of_the_probe() -> None:
    rows = _rows([P] * 20) + _rows([F] * 20, Arm.STORE_DELAY, bare=False)
    assert probe_effect(rows, POLICY) == ProbeEffect(1.0, is_changed=False)
    assert deciding(rows, POLICY) == rows


def test_an_arm_that_always_fails_does_not_accuse_the_probe() -> None:
    rows = _rows([P] * 10) + _rows([F] * 5, Arm.CPU_QUARTER) + _rows([F] * 5, Arm.CPU_QUARTER, bare=False)
    rows += _rows([P] * 2, bare=False)
    assert not probe_effect(rows, POLICY).is_changed


def test_kinds_are_split_only_where_they_part_completely() -> None:
    assert are_split(_rows([F, F]) + _rows([P], bare=False))
    assert are_split(_rows([P]) + _rows([E, F], bare=False))
    assert not are_split(_rows([F, P]) + _rows([P], bare=False))
    assert not are_split(_rows([F, F]))
    assert not are_split(_rows([F]) + _rows([F], bare=False))


@pytest.mark.parametrize("verdict", ReplayVerdict)
def test_no_sentence_calls_a_test_stable(verdict: ReplayVerdict) -> None:
    rows = _rows([P] * 12) + _rows([P] * 4, Arm.CPU_QUARTER)
    said = verdict_sentence(verdict, rows, (), POLICY, is_opaque=False)
    assert "stable" not in said
    assert said


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ([F, F, P], "it failed 2 of 3 trials in the same way, and passed 1"),
        ([F, E, F, P], "it failed 2 of 4 trials in the same way, 1 in another, and passed 1"),
        ([F, E, P], "it failed once in 3 trials (1 failed in another way): reproduced"),
    ],
)
def test_counts_of_a_sentence_add_up(results: list[Result], said: str) -> None:
    rows = _rows(results)
    assert verdict_sentence(_judge(rows), rows, (), POLICY, is_opaque=False).startswith(said)


def test_not_reproduced_names_the_rate_that_each_arm_leaves_possible() -> None:
    rows = _rows([P] * 14) + _rows([P] * 29, Arm.CPU_QUARTER)
    said = verdict_sentence(ReplayVerdict.NOT_REPRODUCED, rows, (), POLICY, is_opaque=False)
    assert "by arm: plain 0 of 14 (up to 19.3 %), cpu-0.25 0 of 29 (up to 9.8 %)" in said
    assert "0 of 43 in all (a rate up to 6.7 % is not excluded at 95 %)" in said
    only = verdict_sentence(ReplayVerdict.NOT_REPRODUCED, _rows([P] * 14), (), POLICY, is_opaque=False)
    assert only == "it never failed: 0 of 14 plain (a rate up to 19.3 % is not excluded at 95 %)"


def test_a_limit_is_blamed_only_after_a_contrast() -> None:
    few = _rows([P] * 3) + _rows([F, F], Arm.CPU_QUARTER)
    (early,) = sensitivities(few, [], POLICY)
    assert not early.only_under
    assert "too few" in early.text
    enough = _rows([P] * 5) + _rows([F] * 5, Arm.CPU_QUARTER)
    (late,) = sensitivities(enough, [], POLICY)
    assert late.only_under
    assert late.text.startswith("only under cpu-0.25: 5 of 5")


def test_an_arm_whose_control_fails_as_well_is_not_blamed_alone() -> None:
    rows = _rows([P] * 9 + [F]) + _rows([F] * 5 + [P], Arm.CPU_QUARTER)
    (one,) = sensitivities(rows, [], POLICY)
    assert not one.only_under
    assert one.text.startswith("more often under cpu-0.25")
    alike = _rows([P] * 5) + _rows([F, *[P] * 5], Arm.PAUSE)
    assert sensitivities(alike, [], POLICY)[0].text.startswith("not shown to depend on pause")


def test_delays_are_compared_with_probed_controls_only() -> None:
    rows = _rows([P] * 9) + _rows([P] * 2, bare=False) + _rows([F] * 5, Arm.STORE_DELAY, bare=False)
    (one,) = sensitivities(rows, [], POLICY)
    assert one.control_trials == 2
    assert not one.only_under


def test_the_finding_has_its_word() -> None:
    assert FindingKind.PROBE_CHANGES_RATE.value == "probe-changes-rate"
