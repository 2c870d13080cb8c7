"""Which limit flips the outcome: each arm that failed against its control, with Fisher's p."""

from collections.abc import Sequence

from app.domain.replay_words import Arm
from worker.replay.limits import Held, Hold
from worker.replay.plan.contrast import split_of
from worker.replay.plan.intervals import Split, fisher_greater
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.rows import Row, arms_that_failed
from worker.replay.report import Sensitivity
from worker.replay.trial import Trial

_CPU_ARMS = frozenset({Arm.CPU_1, Arm.CPU_HALF, Arm.CPU_QUARTER})


def sensitivities(
    rows: Sequence[Row], trials: Sequence[Trial], policy: PlanPolicy
) -> tuple[Sensitivity, ...]:
    """One line for each limited arm with a failure, the sharpest contrast first."""
    arms = [arm for arm in arms_that_failed(rows) if arm is not Arm.PLAIN]
    found = [_sensitivity(arm, split_of(arm, rows), trials, policy) for arm in arms]
    return tuple(sorted(found, key=lambda one: one.p))


def _sensitivity(arm: Arm, split: Split, trials: Sequence[Trial], policy: PlanPolicy) -> Sensitivity:
    p = fisher_greater(split)
    enough = min(split.trials, split.control_trials) >= policy.contrast
    only = enough and not split.control_failures and p < policy.contrast_alpha
    counts = (
        f"{split.failures} of {split.trials} trials failed under {arm}, "
        f"{split.control_failures} of {split.control_trials} plain ones (Fisher's p = {p:.3g})"
    )
    if only:
        text = f"only under {arm}: {counts}"
    elif not split.control_failures and not enough:
        text = f"seen under {arm} so far, with too few trials to blame it: {counts}"
    elif p < policy.contrast_alpha:
        text = f"more often under {arm}: {counts}"
    else:
        text = f"not shown to depend on {arm}: {counts}"
    return Sensitivity(
        arm=arm,
        failures=split.failures,
        trials=split.trials,
        control_failures=split.control_failures,
        control_trials=split.control_trials,
        p=p,
        only_under=only,
        text=text + _hold_told(arm, trials),
    )


def _hold_told(arm: Arm, trials: Sequence[Trial]) -> str:
    """A verdict that rests on a limit says where the limit was not the kernel's own."""
    holds = {hold for trial in trials if trial.spec.arm is arm for hold in [_hold_of(arm, trial.held)]}
    loose = sorted(hold.value for hold in holds if hold not in {None, Hold.ENFORCED} and hold is not None)
    return f"; the limit was {' and '.join(loose)}" if loose else ""


def _hold_of(arm: Arm, held: Held) -> Hold | None:
    if arm in _CPU_ARMS:
        return held.cpus
    return held.memory if arm is Arm.MEMORY else None
