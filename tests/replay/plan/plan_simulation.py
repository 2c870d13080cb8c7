"""Plays a plan against a simulated suspect: a rate of failure and a wall time for each arm."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from app.domain.replay_words import Arm, ReplayVerdict
from worker.replay.limits import Limits
from worker.replay.plan.ladder import Ladder, ladder_for
from worker.replay.plan.next_step import next_step
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.question import Question, Stop
from worker.replay.plan.rows import Result, Row
from worker.replay.plan.verdict import judge
from worker.replay.suspect import Original

POLICY = PlanPolicy()
USUAL = ladder_for(None, Limits(timeout_s=60))

WALL_S = {
    Arm.PLAIN: 0.8,
    Arm.CPU_1: 0.9,
    Arm.CPU_HALF: 1.4,
    Arm.CPU_QUARTER: 2.6,
    Arm.PAUSE: 1.3,
    Arm.SKEW: 2.0,
}
"""Mean wall times as measured with ten timing-dependent tests."""

MEASURED: dict[str, dict[Arm, float]] = {
    "fixed sleep": {Arm.CPU_QUARTER: 1.0, Arm.PAUSE: 2 / 8},
    "latency": {Arm.CPU_HALF: 5 / 8, Arm.CPU_QUARTER: 1.0, Arm.PAUSE: 1.0},
    "store deadline": {Arm.CPU_QUARTER: 1.0, Arm.PAUSE: 1 / 8},
    "store host leaves": {Arm.CPU_HALF: 6 / 8, Arm.CPU_QUARTER: 1.0, Arm.STORE_DELAY: 1.0},
    "early load": {Arm.CPU_HALF: 2 / 8, Arm.CPU_QUARTER: 1.0, Arm.PAUSE: 2 / 8},
    "false alarm": {Arm.PAUSE: 6 / 8},
    "group timeout": {Arm.CPU_QUARTER: 1.0, Arm.PAUSE: 3 / 8},
    "impatient join": {Arm.CPU_QUARTER: 1.0, Arm.SKEW: 7 / 8},
}
"""Failures of trials as measured; an arm that is not named never failed."""

Rate = Callable[[Arm, bool], float]


@dataclass(frozen=True, slots=True)
class Played:
    verdict: ReplayVerdict
    rows: tuple[Row, ...]
    why: str

    @property
    def seconds(self) -> float:
        return sum(row.seconds for row in self.rows)


def same_in_all(rate: float) -> Rate:
    return lambda _arm, _bare: rate


def of_arms(rates: Mapping[Arm, float]) -> Rate:
    return lambda arm, _bare: rates.get(arm, 0.0)


def question(
    seed: int, *, ladder: Ladder = USUAL, most: int = POLICY.most_trials, each: int | None = None
) -> Question:
    return Question(ladder, seed, most, each=each)


def play(
    rate: Rate,
    seed: int,
    *,
    ladder: Ladder = USUAL,
    budget_s: float = 300.0,
    is_signed: bool = False,
    asked: Question | None = None,
    fails_as: Result = Result.FAILED,
    wall_s: Mapping[Arm, float] = WALL_S,
) -> Played:
    chance = random.Random(f"suspect {seed}")
    asked = asked or question(seed, ladder=ladder)
    rows: list[Row] = []
    spent = 0.0
    while True:
        said = next_step(asked, rows, closed=frozenset(), remaining_s=budget_s - spent)
        if isinstance(said, Stop):
            return Played(judge(rows, asked.policy, is_signed=is_signed), tuple(rows), said.why)
        failed = chance.random() < rate(said.arm, said.bare)
        row = Row(said.arm, said.bare, fails_as if failed else Result.PASSED, wall_s.get(said.arm, 1.0))
        rows.append(row)
        spent += row.seconds


CRASHED = ladder_for(Original("assert False", "Fatal Python error: Aborted"), Limits(timeout_s=60))
"""The order for a failure that tells how a process ended, and not why."""


def ladder_of(*arms: Arm, bare_most: bool = False) -> Ladder:
    return replace(USUAL, arms=arms, bare_most=bare_most)
