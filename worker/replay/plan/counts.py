"""Counts by arm, and what the limits of each arm came to: asked for, held, throttled, peak."""

from collections.abc import Sequence
from dataclasses import asdict

from app.domain.replay_words import Arm, Outcome
from worker.replay.plan.rows import Result, Row, bare_only, of_arm, probed_only, tally
from worker.replay.report import ArmCount
from worker.replay.trial import Trial


def arm_counts(trials: Sequence[Trial], rows: Sequence[Row]) -> tuple[ArmCount, ...]:
    """In the order of the arms' first trials. Failures of any mode count: an arm shows what it does."""
    counted = []
    for arm in dict.fromkeys(row.arm for row in rows):
        mine = of_arm(rows, arm)
        bare, probed = tally(bare_only(mine)), tally(probed_only(mine))
        counted.append(
            ArmCount(
                arm=arm,
                bare_failures=bare.trials - bare.passes,
                bare_trials=bare.trials,
                probed_failures=probed.trials - probed.passes,
                probed_trials=probed.trials,
                voids=sum(row.result is Result.VOID for row in mine),
                seconds=sum(trial.seconds for trial in trials if trial.spec.arm is arm),
            )
        )
    return tuple(counted)


def limits_told(trials: Sequence[Trial]) -> dict[str, object]:
    """By arm: what was asked for and held in its first trial, and what all its trials used."""
    arms = dict.fromkeys(trial.spec.arm for trial in trials)
    return {"arms": {arm.value: _of_arm(arm, trials) for arm in arms}}


def _of_arm(arm: Arm, trials: Sequence[Trial]) -> dict[str, object]:
    mine = [trial for trial in trials if trial.spec.arm is arm]
    real = next((trial for trial in mine if trial.outcome is not Outcome.VOID), mine[0])
    held = asdict(real.held)
    held.update(cpus=real.held.cpus.value, memory=real.held.memory.value, processes=real.held.processes.value)
    usages = [trial.usage for trial in mine]
    return {
        "asked": asdict(real.spec.limits),
        "perturbation": asdict(real.spec.perturbation),
        "held": held,
        "periods": _sum([usage.periods for usage in usages]),
        "throttled_periods": _sum([usage.throttled_periods for usage in usages]),
        "memory_peak_bytes": max(
            (usage.memory_peak_bytes for usage in usages if usage.memory_peak_bytes), default=None
        ),
        "oom_kills": _sum([usage.oom_kills for usage in usages]),
    }


def _sum(known: Sequence[int | None]) -> int | None:
    """None where no trial could say: no figure is not zero."""
    figures = [each for each in known if each is not None]
    return sum(figures) if figures else None
