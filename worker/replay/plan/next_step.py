"""The plan itself: from the trials so far to the next one, or to the end. One rule after another is asked.

It keeps nothing between two calls, so that the same trials always lead to the same decision.
"""

import random
from collections.abc import Callable, Sequence
from itertools import takewhile

from app.domain.replay_words import Arm
from app.domain.wording import counted
from worker.replay.plan.contrast import side_to_run, suspected_arm
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.probe_effect import are_split, probe_effect
from worker.replay.plan.question import Mixture, Question, Step, Stop
from worker.replay.plan.rows import (
    Result,
    Row,
    arms_that_failed,
    bare_only,
    of_arm,
    probed_only,
    tally,
)
from worker.replay.plan.sampling import expected_seconds, sample_arm
from worker.replay.plan.sequential import Wald
from worker.replay.plan.state import State

_Rule = Callable[[State], Step | Stop | None]


def next_step(
    question: Question, rows: Sequence[Row], *, closed: frozenset[Arm], remaining_s: float
) -> Step | Stop:
    """The next trial, or why there is none. `closed` are arms that cannot be had, or whose canary failed."""
    state = State(question, rows, closed, remaining_s)
    for rule in _RULES:
        said = rule(state)
        if said is not None:
            return _within(said, rows, question.policy, remaining_s)
    return Stop("every arm that was open has had its trials")


def _within(said: Step | Stop, rows: Sequence[Row], policy: PlanPolicy, remaining_s: float) -> Step | Stop:
    if isinstance(said, Stop):
        return said
    wanted = expected_seconds(rows, said.arm, policy) if rows else 0.0
    if not said.bare and not probed_only(rows):
        wanted *= policy.early_share
    if remaining_s > wanted:
        return said
    left = max(0.0, remaining_s)
    return Stop(
        f"the budget has {left:.0f} s left, and a trial of {said.arm} needs {wanted:.0f}", is_budget=True
    )


def _nothing_runs(state: State) -> Stop | None:
    first = list(takewhile(lambda row: not row.counts, state.rows))
    nothing = [row for row in first if row.result is Result.NOTHING]
    if len(nothing) < state.policy.no_trials:
        return None
    return Stop(f"{len(nothing)} of {len(first)} trials ran nothing, and none ran the test")


def _opening(state: State) -> Step | None:
    wanted = state.policy.opening if state.question.plain_first else 0
    if state.question.each is None:
        wanted = min(wanted, state.question.most)
    elif state.question.ladder.arms == (Arm.PLAIN,):
        wanted = min(wanted, state.question.each)
    opened = sum(row.counts for row in state.plain)
    if opened >= wanted or len(state.plain) >= 2 * wanted:
        return None
    return state.step(Arm.PLAIN, f"opening: plain and bare, {opened + 1} of {wanted}", bare=True)


def _asked_counts(state: State) -> Step | Stop | None:
    """A number of trials for each arm, as asked: round after round, so that all meet the same machine."""
    each = state.question.each
    if each is None:
        return None
    have = {arm: len(of_arm(state.rows, arm)) for arm in state.open_arms}
    behind = [arm for arm, count in have.items() if count < each]
    if not behind:
        return Stop(f"each arm has had the {counted(each, 'trial')} asked for")
    arm = min(behind, key=lambda one: have[one])
    return state.step(arm, f"as asked: {arm}, {have[arm] + 1} of {each}")


def _cap(state: State) -> Stop | None:
    ran = sum(row.result is not Result.VOID for row in state.rows)
    if ran < state.question.most:
        return None
    return Stop(f"{counted(ran, 'trial has', 'trials have')} run, the most that this replay may have")


def _always_fails(state: State) -> Step | Stop | None:
    """All plain trials failed, and nothing passed: six of them make it deterministic."""
    rows = state.deciding
    plain, everywhere = tally(of_arm(rows, Arm.PLAIN)), tally(rows)
    wanted = state.policy.deterministic
    if everywhere.passes or plain.trials < min(state.policy.opening, state.question.most):
        return None
    if plain.trials >= wanted:
        return Stop(f"all {plain.trials} plain trials failed, and none in any arm passed")
    return state.step(
        Arm.PLAIN, f"every plain trial failed: is it deterministic? {plain.trials + 1} of {wanted}"
    )


def _split_kinds(state: State) -> Step | None:
    """Bare trials of an arm all fail and probed ones all pass, or the other way round: is it the probe?"""
    if probe_effect(state.rows, state.policy).is_changed:
        return None
    for arm in dict.fromkeys(row.arm for row in state.rows):
        mine = of_arm(state.rows, arm)
        bare, probed = tally(bare_only(mine)).trials, tally(probed_only(mine)).trials
        if are_split(mine) and min(bare, probed) < state.policy.contrast and arm not in state.closed:
            return state.step(
                arm, f"bare and probed trials of {arm} end differently so far", bare=bare < probed
            )
    return None


def _confirmed(state: State) -> Step | Stop | None:
    """Enough failures that agree. What is left: a background, a look inside, a contrast."""
    seen = state.seen
    if seen.failures < state.policy.failures:
        return None
    if not seen.passes:
        few = tally(state.plain).trials < state.policy.opening
        return state.step(Arm.PLAIN, "nothing has passed yet: a control") if few else None
    for rule in (_background, _look_inside, _contrast):
        said = rule(state)
        if said is not None:
            return said
    return Stop(f"{seen.failures} failures agree, and {seen.passes} trials passed")


def _background(state: State) -> Step | None:
    """Passing probed trials, to tell what also happens where nothing fails."""
    probed = tally(probed_only(state.rows))
    tries = len(probed_only(state.plain))
    enough = probed.passes >= state.policy.background or tries >= 2 * state.policy.background
    if enough or state.question.mixture is Mixture.BARE_ONLY or Arm.PLAIN in state.closed:
        return None
    return state.step(Arm.PLAIN, "a control with the probe: what is also seen where it passes", bare=False)


def _look_inside(state: State) -> Step | None:
    """Only bare trials have failed: try to see the same with the probe, in the arm that failed most."""
    if tally(probed_only(state.rows)).failures or state.question.mixture is Mixture.BARE_ONLY:
        return None
    arms = arms_that_failed(state.rows)
    arm = max(arms, key=lambda one: tally(of_arm(state.rows, one)).failures)
    looked = len(probed_only(of_arm(state.rows, arm)))
    if looked >= state.policy.look_inside or arm in state.closed:
        return None
    return state.step(arm, f"only bare trials failed so far: {arm} with the probe", bare=False)


def _contrast(state: State) -> Step | None:
    rows = state.deciding
    arm = suspected_arm(rows)
    side = None if arm is None or arm in state.closed else side_to_run(arm, rows, state.policy)
    return None if side is None else state.step(side, f"contrast of {arm} with its control: {side}")


def _enough(state: State) -> Stop | None:
    """Not confirmed, and not likely to be: Wald's test rejects a flake, or a first failure stays alone."""
    rows, seen, wald = state.deciding, state.seen, Wald.of(state.policy)
    if seen.trials < wald.passes_to_reject or _short_at_tightest(state):
        return None
    if not seen.failures:
        return Stop(
            f"{seen.trials} trials without the failure: a flake of {state.policy.flake_rate:.0%} "
            "would have shown"
        )
    counted = [row for row in rows if row.counts]
    first = next(at for at, row in enumerate(counted) if row.result is Result.FAILED)
    alone = len(counted) - first
    if seen.failures >= state.policy.failures or alone < state.policy.most_after_failure:
        return None
    return Stop(f"one failure, and none in the {alone - 1} trials after it")


def _short_at_tightest(state: State) -> int:
    """How many trials the tightest arm lacks before anything is called not reproduced."""
    arm = state.question.ladder.tightest
    have = tally(of_arm(state.deciding, arm)).trials
    return max(0, state.policy.tightest - have) if arm in state.open_arms else 0


def _may_pay_tightest(state: State) -> bool:
    """Not where they would eat up the budget: a test that is slow there is looked at more often elsewhere."""
    costs = _short_at_tightest(state) * expected_seconds(
        state.rows, state.question.ladder.tightest, state.policy
    )
    return costs <= state.policy.tightest_share * state.remaining_s


def _confirming(state: State) -> Step | None:
    """After a first failure, some trials more in the arm that failed."""
    rows = state.deciding
    arms = arms_that_failed(rows)
    if tally(rows).failures != 1 or arms[0] in state.closed:
        return None
    mine = of_arm(rows, arms[0])
    since = len(mine) - 1 - next(at for at, row in enumerate(mine) if row.result is Result.FAILED)
    if since >= state.policy.confirming:
        return None
    return state.step(arms[0], f"{arms[0]} has failed once: again")


def _ladder(state: State) -> Step | None:
    """Each arm in its order a few times, and controls between."""
    climbed = 0
    for arm in state.open_arms:
        extra = state.policy.opening if arm is Arm.PLAIN else 0
        have = tally(of_arm(state.rows, arm)).trials
        wanted = state.policy.rung + extra
        if have < wanted:
            return state.step(arm, f"ladder: {arm}, {have - extra + 1} of {state.policy.rung}")
        climbed += arm is not Arm.PLAIN
        if len(state.plain) < state.policy.opening + climbed // state.policy.control_after_rungs:
            return state.step(Arm.PLAIN, f"ladder: a control after {arm}")
    return None


def _sampled(state: State) -> Step | None:
    arms = state.open_arms
    if not arms:
        return None
    if len(state.rows) % state.policy.control_every == 0:
        return state.step(Arm.PLAIN, "a control, so that a change of the machine is seen")
    tightest = state.question.ladder.tightest
    is_late = state.seen.trials >= Wald.of(state.policy).passes_to_reject
    if is_late and _short_at_tightest(state) and _may_pay_tightest(state):
        return state.step(
            tightest, f"{tightest}, the tightest arm, has too few trials to call it not reproduced"
        )
    rng = random.Random(f"{state.question.seed}:{len(state.rows)}")  # noqa: S311 - to be repeated
    arm = sample_arm(state.deciding, list(dict.fromkeys((*arms, Arm.PLAIN))), state.policy, rng=rng)
    return state.step(arm, f"sampled: {arm} is likeliest to fail soon")


_RULES: tuple[_Rule, ...] = (
    _nothing_runs,
    _opening,
    _asked_counts,
    _cap,
    _split_kinds,
    _always_fails,
    _confirmed,
    _enough,
    _confirming,
    _ladder,
    _sampled,
)
