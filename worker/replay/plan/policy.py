"""Every number of the plan, as a named field with its unit and why that value."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.replay_words import COUNTABLE_TRIALS, DETERMINISTIC_FAILURES, FLAKE_FAILURES, Arm


@dataclass(frozen=True, slots=True)
class Belief:
    """What is believed of an arm before its first trial: how often it fails a flake, and what it costs."""

    fails: float  # pseudo-counts of a Beta prior
    passes: float
    slowdown: float  # wall time of a trial in plain trials

    @property
    def rate(self) -> float:
        return self.fails / (self.fails + self.passes)


def _beliefs() -> Mapping[Arm, Belief]:
    # Of ten measured timing shapes and three flakes of one rate in every arm: the mean of their rates, and
    # the weight that their spread gives (method of moments). A quota makes a test fail always or never, so
    # that a few passes under it say nearly all. Slowdowns are mean wall times of the same measurements.
    return {
        Arm.CPU_QUARTER: Belief(0.18, 0.12, 3.2),
        Arm.PAUSE: Belief(0.3, 0.9, 1.6),
        Arm.CPU_HALF: Belief(0.2, 1.0, 1.8),
        Arm.STORE_DELAY: Belief(0.05, 0.4, 1.3),
        Arm.SKEW: Belief(0.05, 0.4, 2.0),
        Arm.PORTS: Belief(0.1, 1.9, 1.0),
        Arm.MEMORY: Belief(0.1, 1.9, 1.0),
        Arm.CPU_1: Belief(0.2, 5.0, 1.1),
        Arm.PLAIN: Belief(0.2, 5.0, 1.0),
        Arm.NEIGHBOURS: Belief(0.3, 0.7, 6.0),
    }


@dataclass(frozen=True, slots=True)
class PlanPolicy:
    """`version` rises whenever a field or a rule of the plan changes, and is stored with each replay."""

    version: str = "2"

    # Opening and ladder.
    opening: int = 3
    """Plain, bare trials before anything else: a probe has been seen to hide a real flake completely."""
    deterministic: int = DETERMINISTIC_FAILURES
    """Failures of as many plain trials, all there are, that are called deterministic: a rate over 60 %."""
    rung: int = 3
    """Trials of each arm of the ladder, its first pass; the sharpest of seven simulated policies."""
    control_after_rungs: int = 2
    """So many arms of the ladder, then a control: drift of the machine is seen at little cost."""
    confirming: int = 6
    """Trials at once in an arm that has failed for the first time: a second failure is nearest there."""
    control_every: int = 5
    """After the ladder, every so many trials one is a control, so that drift of the machine is seen."""
    no_trials: int = 3
    """Trials in a row that ran nothing, after which the test is one that cannot be run."""

    # Sequential test of "it never fails" (Wald): p0 is noise of the harness, p1 a flake worth finding.
    noise_rate: float = 0.01
    flake_rate: float = 0.10
    alpha: float = 0.05
    beta: float = 0.05
    tightest: int = 10
    """Trials at the tightest arm before anything is called not reproduced, or the budget has ended."""
    tightest_share: float = 0.25
    """Of the budget that is left, what those may cost: where a quota makes a trial six times as long they
    took 45 % of it, and a flake of 5 % in every arm was confirmed in 67 of 100 replays instead of 83."""
    most_after_failure: int = 28
    """Trials after the first failure in which a second one still makes P(rate > 2 %) > 95 % under a
    Beta(0.5, 0.5) prior."""
    most_trials: int = 120
    """Of one replay that nobody gave a number of trials."""
    countable: int = COUNTABLE_TRIALS
    """Fewer trials than this say nothing when none failed: the budget was too small."""

    # Claims.
    failures: int = FLAKE_FAILURES
    """Agreeing failures that make a confirmed flake, together with one pass."""
    contrast: int = 5
    """Trials of an arm and of its control before a limit is blamed: 5 of 5 against 0 of 5 is p = 0.004."""
    most_contrast: int = 10
    """How far the contrast is taken where 5 and 5 leave it open."""
    contrast_alpha: float = 0.05
    probe_alpha: float = 0.05
    """Two-sided, of bare against probed trials of the same arms."""
    look_inside: int = 6
    """Probed trials of an arm in which only bare ones have failed: a cause is wanted, not a rate."""
    early_share: float = 0.25
    """Of a bare trial's time that the first probed one must have left: it may end early, and then tells more
    than any bare one."""
    background: int = 2
    """Passing probed trials wanted before an exception is called one that only failing trials have."""

    # Arms.
    memory_headroom: float = 1.2
    """Memory limit over the measured peak; below that a limit finds only itself."""
    ports: int = 32
    """Width of the local port range: of 64 nothing failed, of 32 a race was lost in 2 of 10."""
    short_pause_ms: tuple[float, float] = (1.0, 30.0)
    short_gap_ms: tuple[float, float] = (0.0, 10.0)
    long_pause_ms: tuple[float, float] = (1.0, 2_000.0)
    long_gap_ms: tuple[float, float] = (0.0, 200.0)
    store_delay_s: float = 0.5
    skew_s: float = 0.5
    delay_share: float = 0.2
    """Of a plain trial's wall time: all injected delays of one process together."""
    least_delay_s: float = 1.0
    """Where a fifth of a plain trial is too little for a single delay to matter."""
    neighbours: int = 4
    voids: int = 2
    """Trials of one arm that ran nothing while it never ran anything, after which the arm is left."""

    beliefs: Mapping[Arm, Belief] = field(default_factory=_beliefs)
