"""Which arm next, once each has had its turn: Thompson sampling over failures per second of wall time."""

import random
from collections.abc import Sequence
from statistics import fmean

from app.domain.replay_words import Arm
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.rows import Row, of_arm, tally

_UNKNOWN_S = 10.0
"""Of a plain trial, before there was one: only the ratios between arms matter then."""


def sample_arm(rows: Sequence[Row], arms: Sequence[Arm], policy: PlanPolicy, *, rng: random.Random) -> Arm:
    """Draw a rate for each arm from what is known of it, and take the one that fails soonest.

    A failure of another mode counts as a pass: an arm that only ever shows something else is no use.
    """

    def failures_per_second(arm: Arm) -> float:
        belief, seen = policy.beliefs[arm], tally(of_arm(rows, arm))
        rate = rng.betavariate(belief.fails + seen.failures, belief.passes + seen.trials - seen.failures)
        return rate / expected_seconds(rows, arm, policy)

    return max(arms, key=failures_per_second)


def expected_seconds(rows: Sequence[Row], arm: Arm, policy: PlanPolicy) -> float:
    """Wall time of the next trial of `arm`: the mean of those it had, else from the plain ones."""
    own = [row.seconds for row in of_arm(rows, arm) if row.counts]
    if own:
        return max(fmean(own), 0.001)
    plain = [row.seconds for row in of_arm(rows, Arm.PLAIN) if row.counts]
    return (max(fmean(plain), 0.001) if plain else _UNKNOWN_S) * policy.beliefs[arm].slowdown
