"""What the rules of the plan look at: the question, the trials so far, and which arms are still open."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.replay_words import Arm
from worker.replay.plan.arms import needs_probe
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.probe_effect import deciding, probe_effect
from worker.replay.plan.question import Mixture, Question, Step
from worker.replay.plan.rows import Row, Tally, bare_only, of_arm, probed_only, tally


@dataclass(frozen=True, slots=True)
class State:
    question: Question
    rows: Sequence[Row]
    closed: frozenset[Arm]
    remaining_s: float = math.inf

    @property
    def policy(self) -> PlanPolicy:
        return self.question.policy

    @property
    def deciding(self) -> list[Row]:
        return deciding(self.rows, self.policy)

    @property
    def seen(self) -> Tally:
        return tally(self.deciding)

    @property
    def plain(self) -> list[Row]:
        return of_arm(self.rows, Arm.PLAIN)

    @property
    def open_arms(self) -> list[Arm]:
        """Arms that can still say something; not those that need a probe that is known to interfere."""
        interferes = probe_effect(self.rows, self.policy).is_changed
        return [
            arm
            for arm in self.question.ladder.arms
            if not self._is_left(arm) and not (interferes and needs_probe(arm))
        ]

    def _is_left(self, arm: Arm) -> bool:
        mine = of_arm(self.rows, arm)
        runs_nothing = len(mine) >= self.policy.voids and not tally(mine).trials
        return arm in self.closed or (runs_nothing and arm is not Arm.PLAIN)

    def step(self, arm: Arm, why: str, *, bare: bool | None = None) -> Step:
        return Step(arm, self._bare_next(arm) if bare is None else self._as_allowed(arm, bare=bare), why)

    def _as_allowed(self, arm: Arm, *, bare: bool) -> bool:
        mixture = self.question.mixture
        if needs_probe(arm) or mixture is Mixture.PROBED_ONLY:
            return False
        return bare or mixture is Mixture.BARE_ONLY

    def _bare_next(self, arm: Arm) -> bool:
        mine = of_arm(self.rows, arm)
        bare, probed = len(bare_only(mine)), len(probed_only(mine))
        effect = probe_effect(self.rows, self.policy)
        seems_hidden = effect.hides and not effect.probed_failures
        weight = 2 if self.question.ladder.bare_most or seems_hidden else 1
        return self._as_allowed(arm, bare=effect.is_changed or bare <= weight * probed)
