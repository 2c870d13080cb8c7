"""A trial of a suspect: run for real, read back from its folder, and explained."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from app.domain.replay_words import Arm, CauseKind, FindingKind, Outcome
from worker.replay.engine import replay
from worker.replay.explain.explain import explain
from worker.replay.facts import TrialFacts
from worker.replay.limits import Limits
from worker.replay.plan.arms import Ground, limits_of, perturbation_of
from worker.replay.plan.policy import PlanPolicy
from worker.replay.report import Replay
from worker.replay.request import Request
from worker.replay.suspect import Suspect
from worker.replay.trial import Explained, Explanation, Trial, TrialSpec
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
    timeout_s: float = 100.0
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
        words = (self.trial.outcome, self.trial.reason, told(self.trial.explanation))
        return "\n".join([*words, self.trial.failure_text])


def told(explanation: Explanation) -> str:
    cause = explanation.cause
    found = [f"{one.kind}: {one.text}" for one in explanation.findings]
    return "\n".join(
        [f"{cause.kind}: {cause.sentence}", *cause.consequences, *found, *explanation.timeline[-12:]]
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


def replay_whole(asked: Asked, out: Path, *, budget_s: float) -> Replay:
    """The full plan, as the command runs it; `arm` and `bare` of what is asked play no part."""
    limits = Limits(timeout_s=asked.timeout_s, memory_bytes=asked.memory_bytes)
    suspect = Suspect(asked.test, asked.project, Path(sys.executable))
    return replay(Request(suspect, out, budget_s=budget_s, limits=limits, seed=asked.seed))


def lines_of(report: Replay) -> str:
    """What the plan did, a line a trial, and what it said in the end."""
    trials = [
        f"  {one.spec.number:3} {one.spec.arm:11} {'bare' if one.spec.bare else 'probed':6} {one.outcome:11}"
        f" {one.seconds:5.1f} s {one.explanation.cause.kind} {one.explanation.cause.sentence} {one.reason}"
        for one in report.trials
    ]
    heading = f"{report.test}: {report.verdict}: {report.sentence}"
    return "\n".join([heading, *trials, told(report.explanation), *report.decisions])
