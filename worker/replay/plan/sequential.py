"""When enough is known: Wald's sequential test of a failure rate, and the Beta posterior beside it."""

import math
from dataclasses import dataclass

from worker.replay.plan.intervals import beta_below
from worker.replay.plan.policy import PlanPolicy


@dataclass(frozen=True, slots=True)
class Wald:
    """The sequential probability ratio test of `noise` against `flake`, both rates of failure (Wald 1945)."""

    noise: float
    flake: float
    alpha: float
    beta: float

    @classmethod
    def of(cls, policy: PlanPolicy) -> "Wald":
        return cls(policy.noise_rate, policy.flake_rate, policy.alpha, policy.beta)

    def evidence(self, failures: int, passes: int) -> float:
        """Logarithm of how much better a flake explains the counts than noise does."""
        per_failure = math.log(self.flake / self.noise)
        per_pass = math.log((1 - self.flake) / (1 - self.noise))
        return failures * per_failure + passes * per_pass

    def is_flake(self, failures: int, passes: int) -> bool:
        return self.evidence(failures, passes) >= math.log((1 - self.beta) / self.alpha)

    def is_noise(self, failures: int, passes: int) -> bool:
        return self.evidence(failures, passes) <= math.log(self.beta / (1 - self.alpha))

    @property
    def passes_to_reject(self) -> int:
        """Straight passes after which a flake of that rate is rejected: 31 at 1 % against 10 %."""
        per_pass = math.log((1 - self.noise) / (1 - self.flake))
        return math.ceil(math.log((1 - self.alpha) / self.beta) / per_pass)


def probability_above(rate: float, failures: int, trials: int) -> float:
    """P(true rate > `rate`), by Jeffreys' Beta(0.5, 0.5) prior."""
    return 1.0 - beta_below(rate, failures + 0.5, trials - failures + 0.5)
