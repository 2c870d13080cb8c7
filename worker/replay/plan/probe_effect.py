"""Whether the probe changes how often the test fails: bare against probed trials, arm by arm."""

from collections.abc import Sequence
from dataclasses import dataclass

from worker.replay.plan.intervals import Split, stratified_greater
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.rows import Row, bare_only, of_arm, probed_only, tally

_TOO_FEW = 2
"""One of each that differ is what any flake shows."""


@dataclass(frozen=True, slots=True)
class ProbeEffect:
    """`p` is two-sided; the counts are of those arms only that had both bare and probed trials."""

    p: float
    is_changed: bool
    bare_failures: int = 0
    bare_trials: int = 0
    probed_failures: int = 0
    probed_trials: int = 0

    @property
    def hides(self) -> bool:
        """The probe makes failures rarer, rather than more frequent."""
        return self.bare_failures * self.probed_trials > self.probed_failures * self.bare_trials


def probe_effect(rows: Sequence[Row], policy: PlanPolicy) -> ProbeEffect:
    """Fisher's exact test over the arms as strata, twice its smaller tail; any failure counts as one."""
    splits = [split for split in map(_split, _by_arm(rows)) if split.trials and split.control_trials]
    if not splits:
        return ProbeEffect(1.0, is_changed=False)
    more = stratified_greater(splits)
    fewer = stratified_greater([_swapped(one) for one in splits])
    p = min(1.0, 2 * min(more, fewer))
    return ProbeEffect(
        p,
        is_changed=p < policy.probe_alpha,
        bare_failures=sum(one.failures for one in splits),
        bare_trials=sum(one.trials for one in splits),
        probed_failures=sum(one.control_failures for one in splits),
        probed_trials=sum(one.control_trials for one in splits),
    )


def deciding(rows: Sequence[Row], policy: PlanPolicy) -> list[Row]:
    """The rows that the verdict rests on: where the probe changes the rate, the bare ones alone."""
    return bare_only(rows) if probe_effect(rows, policy).is_changed else list(rows)


def are_split(rows: Sequence[Row]) -> bool:
    """True where all bare trials ended one way and all probed ones the other: too good to be chance, unless
    they are few.
    """
    bare, probed = tally(bare_only(rows)), tally(probed_only(rows))
    if not bare.trials or not probed.trials or bare.trials + probed.trials <= _TOO_FEW:
        return False
    all_bare_failed, no_bare_failed = not bare.passes, bare.passes == bare.trials
    all_probed_failed, no_probed_failed = not probed.passes, probed.passes == probed.trials
    return (all_bare_failed and no_probed_failed) or (no_bare_failed and all_probed_failed)


def _by_arm(rows: Sequence[Row]) -> list[list[Row]]:
    return [of_arm(rows, arm) for arm in dict.fromkeys(row.arm for row in rows)]


def _split(rows: Sequence[Row]) -> Split:
    bare, probed = tally(bare_only(rows)), tally(probed_only(rows))
    return Split(bare.trials - bare.passes, bare.trials, probed.trials - probed.passes, probed.trials)


def _swapped(one: Split) -> Split:
    return Split(one.control_failures, one.control_trials, one.failures, one.trials)
