"""What a report shows of many trials: the failure that shows most, findings once, counts by arm."""

from dataclasses import replace
from pathlib import Path

import pytest
from replay_fakes import (
    BREAKS,
    COMES_LATE,
    HELD,
    PASSES,
    SKIPS,
    FakeMachine,
    by_signature_and_kind,
    made_trial,
    request,
)

from app.domain.replay_words import Arm, CauseKind, FindingKind, Outcome, ReplayVerdict
from worker.replay.engine import replay as run_replay
from worker.replay.explaining import UNREADABLE
from worker.replay.facts import TrialFacts
from worker.replay.limits import Hold, Usage
from worker.replay.plain_json import NotThatShape
from worker.replay.plan.conclusion import Asked, conclude
from worker.replay.plan.modes import Reference
from worker.replay.plan_file import policy_told
from worker.replay.report import Replay
from worker.replay.request import PlanPolicy, question_of
from worker.replay.trial import Explained, Explanation, Finding, Trial

UNEXPLAINED = replace(BREAKS, cause=Explained(CauseKind.NOT_EXPLAINED, "seen from outside only"))


def _conclude(*trials: Trial) -> Replay:
    return conclude(Asked("test_it.py::test_it", Reference()), trials, lambda _a, _b: True)


def _with(trial: Trial, *findings: Finding) -> Trial:
    return replace(trial, explanation=replace(trial.explanation, findings=findings))


def test_the_failure_that_shows_most_is_told() -> None:
    report = _conclude(made_trial(1, UNEXPLAINED), made_trial(2, BREAKS, bare=False), made_trial(3, PASSES))
    assert report.explanation.cause.kind is CauseKind.RANK_EXCEPTION
    assert report.verdict is ReplayVerdict.CONFIRMED_FLAKE


def test_findings_are_told_once_each_and_leaks_of_passing_trials_too() -> None:
    unread = Finding(FindingKind.UNREAD_REPORT, "rank 1's report was never read")
    leak = Finding(FindingKind.LEAKED_PROCESS, "sleep was left")
    handled = Finding(FindingKind.THROTTLED, "throttled in 3 of 4 periods")
    report = _conclude(
        _with(made_trial(1, BREAKS), unread),
        _with(made_trial(2, BREAKS), unread),
        _with(made_trial(3, PASSES), leak, handled),
    )
    assert report.findings == (unread, leak)


def test_failures_of_other_modes_are_collateral() -> None:
    trials = (made_trial(1, BREAKS), made_trial(2, COMES_LATE), made_trial(3, PASSES))
    report = conclude(Asked("t", Reference()), trials, by_signature_and_kind)
    assert [cause.kind for cause in report.collateral] == [CauseKind.LATE_RANK]
    assert (report.bound.failures, report.bound.trials) == (1, 3)


def test_another_failure_without_a_cause_is_told_by_how_it_ended() -> None:
    silent = replace(BREAKS, cause=Explained(CauseKind.NONE))
    left = replace(
        made_trial(2, silent), signature="another", reason="pytest's own process ended with exit code 0"
    )
    trials = (made_trial(1, BREAKS), left, replace(left, signature="a third", reason=""))
    report = conclude(Asked("t", Reference()), trials, lambda a, b: a.signature == b.signature)
    assert [cause.sentence for cause in report.collateral] == [left.reason, "nothing says why"]


def test_void_trials_count_nowhere_but_are_shown() -> None:
    void = made_trial(2, replace(BREAKS, outcome=Outcome.VOID), arm=Arm.PAUSE)
    report = _conclude(made_trial(1, PASSES), void)
    assert report.bound.trials == 1
    assert [count.voids for count in report.arms] == [0, 1]
    assert report.verdict is ReplayVerdict.BUDGET_EXHAUSTED


def test_unknown_usage_is_not_zero() -> None:
    known = made_trial(1, PASSES, usage=Usage(periods=10, throttled_periods=4))
    unknown = made_trial(2, PASSES, arm=Arm.PAUSE)
    arms = _conclude(known, unknown).limits["arms"]
    assert isinstance(arms, dict)
    assert (arms["plain"]["periods"], arms["plain"]["throttled_periods"]) == (10, 4)
    assert (arms["pause"]["periods"], arms["pause"]["memory_peak_bytes"]) == (None, None)


def test_a_memory_limit_that_was_absent_is_told() -> None:
    held = replace(HELD, memory=Hold.ABSENT)
    trials = [made_trial(n, BREAKS, arm=Arm.MEMORY, held=held) for n in range(2)]
    (one,) = _conclude(*trials, made_trial(9, PASSES)).sensitivity
    assert one.text.endswith("the limit was absent")


def test_a_report_is_plain_json() -> None:
    report = _conclude(made_trial(1, BREAKS), made_trial(2, PASSES)).as_json()
    assert report["verdict"] == "reproduced-once"
    assert report["bound"] == {
        "failures": 1,
        "trials": 2,
        "rate_low_95": pytest.approx(0.01258, abs=1e-5),
        "rate_high_95": pytest.approx(0.98742, abs=1e-5),
    }


def test_a_record_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    def unreadable(folder: Path) -> TrialFacts:
        raise NotThatShape(f"{folder.name} is cut")

    instruments = replace(FakeMachine(lambda _: BREAKS).instruments(), read_facts=unreadable)
    report = run_replay(request(tmp_path / "out"), instruments=instruments)
    assert report.explanation.cause.kind is CauseKind.NOT_EXPLAINED
    assert UNREADABLE in report.explanation.cause.sentence


def test_a_pass_whose_record_cannot_be_read_is_a_pass_without_a_background(tmp_path: Path) -> None:
    machine = FakeMachine(lambda _: PASSES)

    def unreadable(folder: Path) -> TrialFacts:
        raise OSError(f"{folder} is gone")

    instruments = replace(machine.instruments(), read_facts=unreadable)
    report = run_replay(request(tmp_path / "out", budget_s=5), instruments=instruments)
    assert {trial.outcome for trial in report.trials} == {Outcome.PASSED}
    assert machine.explained_with == []


def test_a_canary_that_cannot_run_voids_nothing(tmp_path: Path) -> None:
    machine = FakeMachine(lambda _: BREAKS, canary_ends=SKIPS)
    report = run_replay(request(tmp_path / "out"), instruments=machine.instruments())
    assert report.verdict is ReplayVerdict.DETERMINISTIC
    assert any("could not be run under plain" in one for one in report.decisions)


def test_neighbours_come_last_and_only_where_allowed(tmp_path: Path) -> None:
    usual = question_of(request(tmp_path / "a"), 1).ladder.arms
    allowed = question_of(request(tmp_path / "b", allow_neighbours=True), 1).ladder.arms
    assert Arm.NEIGHBOURS not in usual
    assert allowed == (*usual, Arm.NEIGHBOURS)


def test_the_policy_is_stored_with_all_its_numbers() -> None:
    told = policy_told(PlanPolicy())
    assert told["failures"] == 2
    assert told["beliefs"]["cpu-0.25"] == {"fails": 0.18, "passes": 0.12, "slowdown": 3.2}


def test_an_explanation_of_a_pass_names_no_cause() -> None:
    trial = replace(
        made_trial(1, PASSES), explanation=Explanation(Explained(CauseKind.NONE), matched={"a": 2})
    )
    assert _conclude(trial).explanation.matched == {"a": 2}
