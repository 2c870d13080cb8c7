"""What a replay is asked for: the suspect, the arms, and how much time it may take."""

from dataclasses import dataclass, field
from pathlib import Path

from app.domain.replay_words import Arm
from worker.replay.limits import Limits
from worker.replay.plan.ladder import Ladder, ladder_for
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.question import Mixture, Question
from worker.replay.suspect import Suspect

DEFAULT_BUDGET_S = 600.0
DEFAULT_TIMEOUT_S = 300.0
COMPARED = (Arm.PLAIN, Arm.CPU_1, Arm.CPU_HALF, Arm.CPU_QUARTER, Arm.PAUSE)
"""The arms that a comparison of limits runs where none are named."""


@dataclass(frozen=True, slots=True)
class Request:
    """One test to replay. Without `arms` the plan chooses them, by what the original failure looks like.

    `trials` with arms, or with `compare_limits`, is the number of each arm, and nothing but the budget ends
    them earlier; without, it is the most that the plan may run. Trial folders and `plan.json` go under `out`.
    """

    suspect: Suspect
    out: Path
    arms: tuple[Arm, ...] = ()
    trials: int | None = None
    budget_s: float = DEFAULT_BUDGET_S
    limits: Limits = field(default_factory=lambda: Limits(timeout_s=DEFAULT_TIMEOUT_S))
    seed: int | None = None  # None: one is drawn, and told
    compare_limits: bool = False
    allow_neighbours: bool = False  # never on a host that others use
    plain_first: bool = True
    mixture: Mixture = Mixture.BOTH
    ends_early: bool = True
    policy: PlanPolicy = field(default_factory=PlanPolicy)


def question_of(request: Request, seed: int) -> Question:
    """The plan's question, with the order of the arms."""
    policy = request.policy
    is_counted = bool(request.arms) and request.trials is not None
    each = (request.trials or policy.contrast) if request.compare_limits else request.trials
    return Question(
        ladder=_ladder(request),
        seed=seed,
        most=policy.most_trials if request.trials is None else request.trials,
        each=each if is_counted or request.compare_limits else None,
        plain_first=request.plain_first,
        mixture=request.mixture,
        policy=policy,
    )


def _ladder(request: Request) -> Ladder:
    if request.arms:
        named = tuple(dict.fromkeys(request.arms))
        return Ladder(named, f"the arms were asked for: {', '.join(named)}")
    if request.compare_limits:
        return Ladder(COMPARED, "limits are compared, so each arm gets the same number of trials")
    usual = ladder_for(request.suspect.original, request.limits)
    if not request.allow_neighbours:
        return usual
    return Ladder((*usual.arms, Arm.NEIGHBOURS), usual.why, bare_most=usual.bare_most)
