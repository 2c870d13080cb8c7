"""The verdict in words: counts with their trials, arms by name, and what stays possible."""

from collections.abc import Sequence

from app.domain.replay_words import Arm, ReplayVerdict
from app.domain.wording import counted
from worker.replay.plan.intervals import clopper_pearson
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.probe_effect import ProbeEffect
from worker.replay.plan.rows import Row, of_arm, tally
from worker.replay.report import Sensitivity


def verdict_sentence(
    verdict: ReplayVerdict,
    rows: Sequence[Row],
    sensitivity: Sequence[Sensitivity],
    policy: PlanPolicy,
    *,
    is_opaque: bool,
) -> str:
    """`rows` are those that decide. Where the original names no cause, nothing is called the same as it."""
    said = _said(verdict, rows, policy) + _only_under(sensitivity)
    consistent = is_opaque and bool(tally(rows).failures)
    return said + ("; consistent with the original, whose text names no cause" if consistent else "")


def _said(verdict: ReplayVerdict, rows: Sequence[Row], policy: PlanPolicy) -> str:  # noqa: PLR0911 - one a verdict
    seen = tally(rows)
    otherwise = f", {seen.others} in another" if seen.others else ""  # so that the counts add up
    alike = f"it failed {seen.failures} of {seen.trials} trials in the same way{otherwise}"
    match verdict:
        case ReplayVerdict.CONFIRMED_FLAKE:
            return f"{alike}, and passed {seen.passes}"
        case ReplayVerdict.REPRODUCED_ONCE if seen.failures > 1:
            return (
                f"{alike} and never passed; "
                f"{policy.deterministic} plain trials would make it deterministic, one pass a flake"
            )
        case ReplayVerdict.REPRODUCED_ONCE:
            others = f" ({seen.others} failed in another way)" if seen.others else ""
            return (
                f"it failed once in {counted(seen.trials, 'trial')}{others}: reproduced, not confirmed; "
                "a second failure and a pass would make it a flake"
            )
        case ReplayVerdict.DETERMINISTIC:
            plain = tally(of_arm(rows, Arm.PLAIN))
            failures = plain.failures + plain.others
            return f"it failed {failures} of {plain.trials} plain trials, and passed in no arm"
        case ReplayVerdict.NOT_REPRODUCED:
            return f"it never failed: {_not_excluded(rows)}"
        case ReplayVerdict.OTHER_FAILURE:
            return f"{seen.others} of {seen.trials} trials failed, but not as the original did"
        case ReplayVerdict.NO_TRIAL:
            return f"the test ran in none of {counted(len(rows), 'trial')}"
        case ReplayVerdict.BUDGET_EXHAUSTED:
            return _exhausted(rows, policy)


def _exhausted(rows: Sequence[Row], policy: PlanPolicy) -> str:
    trials = tally(rows).trials
    if not trials:
        return "nothing has run yet"
    return (
        f"it ended after {counted(trials, 'trial')}, fewer than the {policy.countable} that say something, "
        f"and none failed: {_not_excluded(rows)}"
    )


def probe_sentence(effect: ProbeEffect) -> str:
    """The text of the finding `probe-changes-rate`."""
    what = "hides" if effect.hides else "brings on"
    return (
        f"bare trials failed {effect.bare_failures} of {effect.bare_trials}, probed ones of the same arms "
        f"{effect.probed_failures} of {effect.probed_trials} (Fisher's p = {effect.p:.3g}): the probe {what} "
        "the failure, so the verdict rests on the bare trials, seen from outside"
    )


def busy_sentence(load: float, cpus: int) -> str:
    """What starves a plain trial need not be in the test."""
    return (
        f"the machine was busy before the first trial (load {load:.1f} on {cpus} CPUs): "
        "plain trials are starved as well, and a test of deadlines may fail in them for that alone"
    )


def _only_under(sensitivity: Sequence[Sensitivity]) -> str:
    arms = [one.arm.value for one in sensitivity if one.only_under]
    return f"; only under {' and '.join(arms)}" if arms else ""


def _not_excluded(rows: Sequence[Row]) -> str:
    """For each arm, and for all, the rate that its passes leave possible; never that a test is stable."""
    arms = dict.fromkeys(row.arm for row in rows if row.counts)
    trials = {arm: tally(of_arm(rows, arm)).trials for arm in arms}
    whole = "in all" if len(trials) > 1 else " ".join(arms)
    seen = tally(rows).trials
    told = f"0 of {seen} {whole} (a rate up to {_most(seen)} is not excluded at 95 %)"
    if len(trials) < 2:  # noqa: PLR2004 - of one arm, all is said
        return told
    each = ", ".join(f"{arm} 0 of {count} (up to {_most(count)})" for arm, count in trials.items())
    return f"{told}; by arm: {each}"


def _most(trials: int) -> str:
    return f"{100 * clopper_pearson(0, trials).high:.1f} %"
