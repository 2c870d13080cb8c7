"""Whether a limit is to blame: trials of an arm against as many of its control, before any claim."""

from collections.abc import Sequence

from app.domain.replay_words import Arm
from worker.replay.plan.arms import needs_probe
from worker.replay.plan.intervals import Split, fisher_greater
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.rows import Row, arms_that_failed, of_arm, probed_only, tally


def control_of(arm: Arm, rows: Sequence[Row]) -> list[Row]:
    """The plain trials that an arm is compared with; probed ones alone where the arm needs the probe."""
    plain = of_arm(rows, Arm.PLAIN)
    return probed_only(plain) if needs_probe(arm) else plain


def split_of(arm: Arm, rows: Sequence[Row]) -> Split:
    seen, control = tally(of_arm(rows, arm)), tally(control_of(arm, rows))
    return Split(seen.failures, seen.trials, control.failures, control.trials)


def suspected_arm(rows: Sequence[Row]) -> Arm | None:
    """The arm that a contrast is about: the one with most failures; None where plain trials fail as well."""
    arms = arms_that_failed(rows)
    if not arms or Arm.PLAIN in arms:
        return None
    return max(arms, key=lambda arm: tally(of_arm(rows, arm)).failures)


def side_to_run(arm: Arm, rows: Sequence[Row], policy: PlanPolicy) -> Arm | None:
    """`arm` or `plain`, whichever has fewer trials, until the contrast is settled; then None."""
    split = split_of(arm, rows)
    wanted = policy.contrast
    if min(split.trials, split.control_trials) >= wanted:
        if fisher_greater(split) < policy.contrast_alpha or not _would_settle(split, policy):
            return None
        wanted = policy.most_contrast
    if min(split.trials, split.control_trials) >= wanted:
        return None
    return arm if split.trials < split.control_trials or split.control_trials >= wanted else Arm.PLAIN


def _would_settle(split: Split, policy: PlanPolicy) -> bool:
    """Whether twice the trials, at the rates seen so far, would show a difference."""
    doubled = Split(
        2 * split.failures, 2 * split.trials, 2 * split.control_failures, 2 * split.control_trials
    )
    return fisher_greater(doubled) < policy.contrast_alpha
