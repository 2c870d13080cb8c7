"""What a replay is asked: which arms, how many trials, and with which share of bare ones."""

from dataclasses import dataclass, field
from enum import Enum, auto

from app.domain.replay_words import Arm
from worker.replay.plan.ladder import Ladder
from worker.replay.plan.policy import PlanPolicy


class Mixture(Enum):
    BOTH = auto()
    BARE_ONLY = auto()
    PROBED_ONLY = auto()


@dataclass(frozen=True, slots=True)
class Question:
    """`each` set: so many trials of every arm of the ladder, in turn, and no rule stops them but the budget.
    Otherwise the sequential rules hold, and `most` is their cap.
    """

    ladder: Ladder
    seed: int
    most: int
    each: int | None = None
    plain_first: bool = True
    mixture: Mixture = Mixture.BOTH
    policy: PlanPolicy = field(default_factory=PlanPolicy)


@dataclass(frozen=True, slots=True)
class Step:
    """The next trial, and the decision in words."""

    arm: Arm
    bare: bool
    why: str


@dataclass(frozen=True, slots=True)
class Stop:
    why: str
    is_budget: bool = False
