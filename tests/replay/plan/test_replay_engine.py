"""The engine's loop, with a fake machine under it: what it runs, what it believes, and what it leaves."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from replay_fakes import (
    BREAKS,
    COMES_LATE,
    PASSES,
    PEAK,
    SKIPS,
    Ends,
    FakeMachine,
    request,
)

from app.domain.replay_words import Arm, CauseKind, Outcome, ReplayVerdict
from worker.replay.calibration import Calibration
from worker.replay.engine import INTERRUPTED, Progress, replay
from worker.replay.limits import Limits
from worker.replay.plan.question import Mixture
from worker.replay.report import Replay
from worker.replay.suspect import Original
from worker.replay.trial import TrialSpec


def _only_under(arm: Arm, ends: Ends = BREAKS) -> FakeMachine:
    return FakeMachine(lambda spec: ends if spec.arm is arm else PASSES)


def _run(machine: FakeMachine, out: Path, **more: object) -> Replay:
    return replay(request(out, **more), instruments=machine.instruments())


def test_a_flake_of_one_limit_is_confirmed_with_its_limit(tmp_path: Path) -> None:
    report = _run(_only_under(Arm.CPU_QUARTER), tmp_path / "out")
    assert report.verdict is ReplayVerdict.CONFIRMED_FLAKE
    (sharp,) = [one for one in report.sensitivity if one.only_under]
    assert (sharp.arm, sharp.failures, sharp.trials) == (Arm.CPU_QUARTER, 5, 5)
    assert (sharp.control_failures, sharp.control_trials) == (0, 5)
    assert sharp.p == pytest.approx(0.00397, abs=1e-5)
    assert "only under cpu-0.25" in report.sentence
    assert report.explanation.cause.kind is CauseKind.RANK_EXCEPTION


def test_first_three_trials_are_plain_and_bare(tmp_path: Path) -> None:
    machine = _only_under(Arm.CPU_QUARTER)
    _run(machine, tmp_path / "out")
    assert [(spec.arm, spec.bare) for spec in machine.specs[:3]] == [(Arm.PLAIN, True)] * 3


def test_numbers_and_folders_of_trials_go_up_from_one(tmp_path: Path) -> None:
    report = _run(FakeMachine(lambda _: BREAKS), tmp_path / "out")
    assert [trial.folder.name for trial in report.trials] == [f"{n:03d}" for n in range(1, 7)]
    assert report.verdict is ReplayVerdict.DETERMINISTIC


def test_same_seed_gives_the_same_trials_again(tmp_path: Path) -> None:
    runs = []
    for name in ("one", "two"):
        chance = random.Random(3)
        machine = FakeMachine(lambda _, chance=chance: BREAKS if chance.random() < 0.1 else PASSES)
        _run(machine, tmp_path / name)
        runs.append(machine.specs)
    assert runs[0] == runs[1]
    assert len({spec.seed for spec in runs[0]}) == len(runs[0])


def test_a_seed_that_nobody_gave_is_told(tmp_path: Path) -> None:
    report = _run(FakeMachine(lambda _: BREAKS), tmp_path / "out", seed=None)
    assert json.loads((tmp_path / "out" / "plan.json").read_text())["question"]["seed"] == report.seed


def test_a_test_that_is_skipped_is_no_trial_after_three(tmp_path: Path) -> None:
    machine = FakeMachine(lambda _: SKIPS)
    report = _run(machine, tmp_path / "out")
    assert report.verdict is ReplayVerdict.NO_TRIAL
    assert len(machine.specs) == 3
    assert (report.bound.failures, report.bound.trials) == (0, 0)


def test_an_arm_in_which_nothing_runs_is_left(tmp_path: Path) -> None:
    machine = FakeMachine(lambda spec: SKIPS if spec.arm is Arm.CPU_QUARTER else PASSES)
    report = _run(machine, tmp_path / "out")
    assert sum(spec.arm is Arm.CPU_QUARTER for spec in machine.specs) == 2
    assert report.verdict is ReplayVerdict.NOT_REPRODUCED


def test_an_arm_whose_canary_fails_is_void(tmp_path: Path) -> None:
    machine = _only_under(Arm.CPU_QUARTER)
    machine.bad_grounds = frozenset({Arm.CPU_QUARTER})
    report = _run(machine, tmp_path / "out")
    assert report.verdict is ReplayVerdict.NOT_REPRODUCED
    assert [trial.outcome for trial in report.trials if trial.spec.arm is Arm.CPU_QUARTER] == [Outcome.VOID]
    assert any("the canary failed under cpu-0.25" in one for one in report.decisions)


def test_a_canary_runs_once_and_only_where_a_failure_would_be_believed(tmp_path: Path) -> None:
    machine = _only_under(Arm.CPU_QUARTER)
    _run(machine, tmp_path / "out")
    assert [spec.arm for spec in machine.canaries] == [Arm.CPU_QUARTER]
    assert machine.canaries[0].limits.cpus == 0.25


def test_a_ground_on_which_nothing_passes_ends_the_replay(tmp_path: Path) -> None:
    machine = FakeMachine(lambda _: BREAKS, bad_grounds=frozenset({Arm.PLAIN}))
    report = _run(machine, tmp_path / "out")
    assert len(machine.specs) == 1
    assert report.verdict is ReplayVerdict.NO_TRIAL


def test_a_failure_other_than_the_expected_one_is_collateral(tmp_path: Path) -> None:
    report = _run(_only_under(Arm.CPU_QUARTER, COMES_LATE), tmp_path / "out", expected="sig-broke")
    assert report.verdict is ReplayVerdict.OTHER_FAILURE
    assert [cause.kind for cause in report.collateral] == [CauseKind.LATE_RANK]
    assert report.bound.failures == 0


def test_an_expected_failure_is_found_behind_another_one(tmp_path: Path) -> None:
    machine = FakeMachine(lambda spec: {Arm.CPU_QUARTER: COMES_LATE, Arm.PAUSE: BREAKS}.get(spec.arm, PASSES))
    report = _run(machine, tmp_path / "out", expected="sig-broke")
    assert report.verdict is ReplayVerdict.CONFIRMED_FLAKE
    assert report.explanation.cause.kind is CauseKind.RANK_EXCEPTION
    assert {one.arm for one in report.sensitivity if one.only_under} == {Arm.PAUSE}
    assert [cause.kind for cause in report.collateral] == [CauseKind.LATE_RANK]


def test_an_opaque_original_is_consistent_never_the_same(tmp_path: Path) -> None:
    original = Original("assert False", "assert False", signature="sig-opaque", opaque=True)
    report = _run(_only_under(Arm.CPU_QUARTER), tmp_path / "out", original=original)
    assert report.verdict is ReplayVerdict.CONFIRMED_FLAKE
    assert "consistent with the original" in report.sentence


def test_failures_are_explained_again_once_something_has_passed(tmp_path: Path) -> None:
    machine = FakeMachine(lambda spec: BREAKS if spec.number < 3 else PASSES)
    _run(machine, tmp_path / "out")
    assert machine.explained_with[0] == 0
    assert max(machine.explained_with) >= 3


def test_memory_is_limited_by_what_plain_trials_needed(tmp_path: Path) -> None:
    machine = FakeMachine(lambda _: PASSES)
    _run(machine, tmp_path / "out", arms=(Arm.MEMORY,), trials=2)
    limits = {spec.limits.memory_bytes for spec in machine.specs if spec.arm is Arm.MEMORY}
    assert limits == {int(PEAK * 1.2)}


def test_nothing_is_ended_early_before_one_failure_has_signature_and_cause(tmp_path: Path) -> None:
    early = Ends(Outcome.ENDED_EARLY, BREAKS.cause, seconds=0.1)
    machine = FakeMachine(lambda spec: early if spec.ends_early else BREAKS)
    report = _run(machine, tmp_path / "out")
    assert [spec.ends_early for spec in machine.specs] == [False, False, False, False, True, True]
    assert report.verdict is ReplayVerdict.DETERMINISTIC


def test_a_probed_trial_may_end_early_where_the_budget_leaves_no_time_to_compare(tmp_path: Path) -> None:
    early = Ends(Outcome.ENDED_EARLY, BREAKS.cause, seconds=5)
    machine = FakeMachine(lambda spec: early if spec.ends_early else replace(BREAKS, seconds=50))
    _run(machine, tmp_path / "out", budget_s=170)
    assert [(spec.bare, spec.ends_early) for spec in machine.specs[3:4]] == [(False, True)]


def test_interrupt_concludes_from_what_is_known(tmp_path: Path) -> None:
    def rule(spec: TrialSpec) -> Ends:
        if spec.number == 12:
            raise KeyboardInterrupt
        return PASSES

    report = _run(FakeMachine(rule), tmp_path / "out")
    assert report.verdict is ReplayVerdict.NOT_REPRODUCED
    assert report.decisions[-1] == INTERRUPTED
    assert len(report.trials) == 11
    assert not (tmp_path / "out" / "012").exists()


def test_a_trial_that_cannot_be_run_ends_the_replay_and_loses_nothing(tmp_path: Path) -> None:
    def rule(spec: TrialSpec) -> Ends:
        if spec.number == 5:
            raise OSError(28, "No space left on device")
        return BREAKS if spec.number == 2 else PASSES

    report = _run(FakeMachine(rule), tmp_path / "out")
    assert report.verdict is ReplayVerdict.REPRODUCED_ONCE
    assert "No space left on device" in report.decisions[-1]
    assert len(report.trials) == 4


def test_a_first_trial_that_cannot_be_run_is_an_error(tmp_path: Path) -> None:
    def rule(_: TrialSpec) -> Ends:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        _run(FakeMachine(rule), tmp_path / "out")


def test_interrupt_of_the_first_trial_is_a_report_too(tmp_path: Path) -> None:
    def rule(_: TrialSpec) -> Ends:
        raise KeyboardInterrupt

    report = _run(FakeMachine(rule), tmp_path / "out")
    assert report.verdict is ReplayVerdict.BUDGET_EXHAUSTED
    assert report.trials == ()


def test_the_budget_ends_the_replay_and_voids_the_trial_it_cuts(tmp_path: Path) -> None:
    def rule(spec: TrialSpec) -> Ends:
        if spec.number < 4:
            return replace(PASSES, seconds=10)
        return Ends(Outcome.TIMED_OUT, seconds=spec.limits.timeout_s)

    report = _run(FakeMachine(rule), tmp_path / "out", budget_s=75, limits=Limits(timeout_s=60))
    assert report.trials[3].outcome is Outcome.VOID
    assert report.verdict is ReplayVerdict.BUDGET_EXHAUSTED
    assert "budget" in report.decisions[-1]


def test_plan_holds_every_decision_and_trial(tmp_path: Path) -> None:
    report = _run(_only_under(Arm.CPU_QUARTER), tmp_path / "out")
    plan = json.loads((tmp_path / "out" / "plan.json").read_text())
    assert plan["verdict"] == "confirmed-flake"
    assert [one["why"] for one in plan["decisions"]] == list(report.decisions)
    assert [one["trial"] for one in plan["decisions"] if one["trial"]] == list(
        range(1, len(report.trials) + 1)
    )
    assert [one["seed"] for one in plan["trials"]] == [trial.spec.seed for trial in report.trials]
    assert plan["policy"]["opening"] == 3
    assert plan["calibration"]["loops"] == 1000


def test_a_folder_that_holds_a_replay_is_left_alone(tmp_path: Path) -> None:
    _run(FakeMachine(lambda _: BREAKS), tmp_path / "out")
    with pytest.raises(FileExistsError):
        _run(FakeMachine(lambda _: PASSES), tmp_path / "out")


def test_a_busy_machine_is_told(tmp_path: Path) -> None:
    machine = FakeMachine(lambda _: BREAKS)
    busy = replace(machine.instruments(), calibrate=lambda: Calibration(1000, 0.01, 0.05, 2, load=14.0))
    report = replay(request(tmp_path / "out"), instruments=busy)
    assert "load 14.0 on 2 CPUs" in report.decisions[1]
    assert report.verdict is ReplayVerdict.DETERMINISTIC
    assert "load 14.0 on 2 CPUs" in report.sentence


def test_progress_tells_of_each_trial_before_and_after(tmp_path: Path) -> None:
    news: list[Progress] = []
    machine = FakeMachine(lambda _: BREAKS)
    replay(request(tmp_path / "out"), on_progress=news.append, instruments=machine.instruments())
    assert [one.started.number for one in news if one.started] == list(range(1, 7))
    assert [one.finished.spec.number for one in news if one.finished] == list(range(1, 7))
    last = news[-1].arms[0]
    assert last.bare_trials + last.probed_trials == 6


def test_compared_limits_get_as_many_trials_each(tmp_path: Path) -> None:
    machine = _only_under(Arm.CPU_QUARTER)
    report = _run(machine, tmp_path / "out", compare_limits=True, trials=4)
    counts = {count.arm: count.bare_trials + count.probed_trials for count in report.arms}
    assert counts == dict.fromkeys([Arm.PLAIN, Arm.CPU_1, Arm.CPU_HALF, Arm.CPU_QUARTER, Arm.PAUSE], 4)
    failures = {count.arm: count.bare_failures + count.probed_failures for count in report.arms}
    assert failures[Arm.CPU_QUARTER] == 4


def test_bare_trials_alone_when_asked(tmp_path: Path) -> None:
    machine = FakeMachine(lambda _: PASSES)
    _run(machine, tmp_path / "out", mixture=Mixture.BARE_ONLY, arms=(Arm.PLAIN,), trials=6)
    assert [spec.bare for spec in machine.specs] == [True] * 6


def test_a_limit_that_was_only_approximated_is_told(tmp_path: Path) -> None:
    machine = _only_under(Arm.CPU_QUARTER)
    machine.held = replace(machine.held, cpus=type(machine.held.cpus).APPROXIMATED)
    report = _run(machine, tmp_path / "out")
    assert "approximated" in report.sensitivity[0].text


def test_a_passing_test_tells_its_matched_collectives(tmp_path: Path) -> None:
    report = _run(FakeMachine(lambda _: PASSES), tmp_path / "out")
    assert report.explanation.cause.kind is CauseKind.NONE
    assert report.explanation.matched == {"WORLD": 3}
    assert "not excluded at 95 %" in report.sentence
    assert "stable" not in report.sentence
