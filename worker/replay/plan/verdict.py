"""The verdict of a replay, from its counted trials alone."""

from collections.abc import Sequence

from app.domain.replay_words import Arm, ReplayVerdict
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.probe_effect import deciding
from worker.replay.plan.rows import Row, Tally, of_arm, tally


def judge(rows: Sequence[Row], policy: PlanPolicy, *, is_signed: bool) -> ReplayVerdict:
    """One word for all trials. `is_signed`: there is a signature that failures must match.

    Trials that ran nothing and void ones count nowhere. Where the probe changes the rate, bare trials decide.
    """
    rows = deciding(rows, policy)
    seen = tally(rows)
    if not seen.trials:
        return ReplayVerdict.NO_TRIAL if rows else ReplayVerdict.BUDGET_EXHAUSTED
    if not seen.passes and _is_deterministic(tally(of_arm(rows, Arm.PLAIN)), policy, is_signed=is_signed):
        return ReplayVerdict.DETERMINISTIC
    if seen.failures >= policy.failures and seen.passes:
        return ReplayVerdict.CONFIRMED_FLAKE
    if seen.failures:
        return ReplayVerdict.REPRODUCED_ONCE
    if seen.others:
        return ReplayVerdict.OTHER_FAILURE
    few = seen.trials < policy.countable
    return ReplayVerdict.BUDGET_EXHAUSTED if few else ReplayVerdict.NOT_REPRODUCED


def _is_deterministic(plain: Tally, policy: PlanPolicy, *, is_signed: bool) -> bool:
    """A test that fails each time, in more than one way, is deterministic unless one way was asked about."""
    ours = plain.failures if is_signed else plain.failures + plain.others
    return plain.failures > 0 and ours >= policy.deterministic and ours == plain.trials
