"""From all trials of a replay to its report: the same for one that just ended and for one read from disk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.domain.replay_words import CauseKind, FindingKind, Outcome, ReplayVerdict
from worker.replay.calibration import is_busy
from worker.replay.plan.counts import arm_counts, limits_told
from worker.replay.plan.intervals import clopper_pearson
from worker.replay.plan.modes import Agrees, Modes, Reference, find_modes, rows_of
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.probe_effect import deciding, probe_effect
from worker.replay.plan.rows import Row, tally
from worker.replay.plan.sensitivity import sensitivities
from worker.replay.plan.sentences import busy_sentence, probe_sentence, verdict_sentence
from worker.replay.plan.verdict import judge
from worker.replay.report import Bound, Replay
from worker.replay.trial import Explained, Explanation, Finding, Trial

_ALWAYS_TOLD = frozenset({FindingKind.LEAKED_PROCESS, FindingKind.LEAKED_PORT, FindingKind.NOT_OBSERVED})
"""Findings that also a passing trial's record may hold and that are worth telling."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a replay was about, beside its trials."""

    test: str
    reference: Reference
    seed: int = 0
    decisions: tuple[str, ...] = ()
    policy: PlanPolicy = field(default_factory=PlanPolicy)
    told: Mapping[str, object] = field(default_factory=dict)  # further facts for `limits`: calibration, ...


def conclude(asked: Asked, trials: Sequence[Trial], agrees: Agrees) -> Replay:
    """Judge `trials`, each with its explanation. Trials of a void limit have the outcome `void` already.

    Trials with a fault of ours count for nothing; only what they show is told, where they failed.
    """
    policy = asked.policy
    everything, trials = trials, [one for one in trials if not one.spec.is_injected]
    modes = find_modes(trials, asked.reference, agrees)
    rows = rows_of(trials, modes)
    rests_on = deciding(rows, policy)
    verdict = judge(rows, policy, is_signed=asked.reference.signature is not None)
    sensitivity = sensitivities(rests_on, trials, policy)
    original = asked.reference.original
    is_opaque = original is not None and original.opaque
    sentence = verdict_sentence(verdict, rests_on, sensitivity, policy, is_opaque=is_opaque)
    return Replay(
        test=asked.test,
        verdict=verdict,
        sentence=sentence + _busy_told(verdict, asked.told),
        explanation=_of_fault(everything) or _explanation(modes, trials),
        findings=_findings(modes, trials, rows, policy),
        trials=tuple(everything),
        arms=arm_counts(trials, rows),
        bound=_bound(rests_on),
        sensitivity=sensitivity,
        limits={**limits_told(everything), **asked.told},
        decisions=asked.decisions,
        seed=asked.seed,
        collateral=tuple(_told(_best(group)) for group in modes.others),
    )


def _told(trial: Trial) -> Explained:
    """Its cause; where the journals hold none, such as of a process that left early, how the trial ended."""
    cause = trial.explanation.cause
    return cause if cause.sentence else replace(cause, sentence=trial.reason or "nothing says why")


def _busy_told(verdict: ReplayVerdict, told: Mapping[str, object]) -> str:
    """That every plain trial failed says less where the machine starved them all."""
    measured = told.get("calibration")
    if verdict is not ReplayVerdict.DETERMINISTIC or not isinstance(measured, Mapping):
        return ""
    load, cpus = measured.get("load"), measured.get("cpus")
    if not isinstance(load, float | int) or not isinstance(cpus, int) or not is_busy(load, cpus):
        return ""
    return f"; {busy_sentence(load, cpus)}"


def _bound(rows: Sequence[Row]) -> Bound:
    seen = tally(rows)
    interval = clopper_pearson(seen.failures, seen.trials)
    return Bound(seen.failures, seen.trials, interval.low, interval.high)


def _explanation(modes: Modes, trials: Sequence[Trial]) -> Explanation:
    """Of the failure that shows most; where none counts, the collectives that a passing trial matched."""
    if modes.failures:
        return _best(modes.failures).explanation
    if modes.groups:
        return _best(modes.groups[0]).explanation
    passed = [trial for trial in trials if trial.outcome is Outcome.PASSED]
    richest = max(passed, key=lambda trial: sum(trial.explanation.matched.values()), default=None)
    matched = {} if richest is None else richest.explanation.matched
    return Explanation(Explained(CauseKind.NONE), matched=matched)


def _of_fault(trials: Sequence[Trial]) -> Explanation | None:
    """Of the first trial that failed by a fault of ours, if any did."""
    failed = (one for one in trials if one.spec.is_injected and one.outcome.is_failure)
    return next((one.explanation for one in failed), None)


def _best(group: Sequence[Trial]) -> Trial:
    """Explained before unexplained, probed before bare, ended by itself before timed out; else the first."""
    return min(group, key=_lack)


def _lack(trial: Trial) -> tuple[bool, bool, bool]:
    return (
        trial.explanation.cause.kind in {CauseKind.NOT_EXPLAINED, CauseKind.NONE},
        trial.spec.bare,
        trial.outcome is Outcome.TIMED_OUT,
    )


def _findings(
    modes: Modes, trials: Sequence[Trial], rows: Sequence[Row], policy: PlanPolicy
) -> tuple[Finding, ...]:
    """Those of the failure that is shown first, then kinds that only other trials have."""
    failed = [trial for group in ([modes.failures, *modes.others]) for trial in group]
    shown = [_best(modes.failures)] if modes.failures else []
    found: dict[FindingKind, list[Finding]] = {}
    for trial in (*shown, *failed):
        fresh = [one for one in trial.explanation.findings if one.kind not in found]
        for one in fresh:
            found.setdefault(one.kind, []).append(one)
    for trial in trials:
        for one in trial.explanation.findings:
            if one.kind in _ALWAYS_TOLD and one.kind not in found and trial.outcome.counts:
                found[one.kind] = [one]
    effect = probe_effect(rows, policy)
    changed = [Finding(FindingKind.PROBE_CHANGES_RATE, probe_sentence(effect))] if effect.is_changed else []
    return (*changed, *(one for each in found.values() for one in each))
