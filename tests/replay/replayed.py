"""A trial of a suspect: run for real, read back from its folder, and explained."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from app.domain.replay_words import Arm, CauseKind, FindingKind, Outcome
from worker.replay.explain.explain import explain
from worker.replay.facts import TrialFacts
from worker.replay.limits import Limits
from worker.replay.plan.arms import Ground, limits_of, perturbation_of
from worker.replay.plan.policy import PlanPolicy
from worker.replay.suspect import Suspect
from worker.replay.trial import Explained, Trial, TrialSpec
from worker.replay.trial_folder import read_facts
from worker.replay.trials import run_trial

HERE = Path(__file__).parent
SUSPECTS, INCIDENTS = HERE / "suspects/project", HERE / "incidents/project"
PLAIN_S = 3.0
"""What a plain trial of a suspect takes, about: the delays of an arm are a share of it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which trial to run. Without a memory limit of its own the memory arm cannot be asked for."""

    test: str
    arm: Arm = Arm.PLAIN
    seed: int = 1
    bare: bool = False
    project: Path = SUSPECTS
    timeout_s: float = 60.0
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Replayed:
    trial: Trial
    facts: TrialFacts

    @property
    def outcome(self) -> Outcome:
        return self.trial.outcome

    @property
    def cause(self) -> Explained:
        return self.trial.explanation.cause

    @property
    def kind(self) -> CauseKind:
        return self.cause.kind

    @property
    def findings(self) -> set[FindingKind]:
        return {finding.kind for finding in self.trial.explanation.findings}

    @property
    def told(self) -> str:
        """Everything that a reader is told, for a failed comparison."""
        found = [f"{one.kind}: {one.text}" for one in self.trial.explanation.findings]
        words = (self.trial.outcome, self.kind, self.cause.sentence, *self.cause.consequences, *found)
        return "\n".join(
            [*words, self.trial.reason, *self.trial.explanation.timeline, self.trial.failure_text]
        )


def replay_once(asked: Asked, folder: Path) -> Replayed:
    """Run the trial, its record in `folder`, as the engine would."""
    ground = Ground(Limits(timeout_s=asked.timeout_s, memory_bytes=asked.memory_bytes), PLAIN_S)
    policy = PlanPolicy()
    spec = TrialSpec(
        number=1,
        test=asked.test,
        arm=asked.arm,
        bare=asked.bare,
        seed=asked.seed,
        limits=limits_of(asked.arm, ground, policy),
        perturbation=perturbation_of(asked.arm, ground, policy, seed=asked.seed),
        ends_early=not asked.bare,
    )
    trial = run_trial(spec, Suspect(asked.test, asked.project, Path(sys.executable)), folder)
    facts = read_facts(folder)
    return Replayed(replace(trial, explanation=explain(facts)), facts)
