"""`plan.json`: everything that was decided in a replay, in order, readable while it still runs."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from worker.replay.plain_json import to_plain
from worker.replay.plan.policy import PlanPolicy
from worker.replay.plan.question import Question, Step, Stop
from worker.replay.trial import Trial

NAME = "plan.json"


class PlanFile:
    """Written whole at each change, so that a replay that is killed leaves what it had decided."""

    def __init__(self, out: Path, question: Question, told: Mapping[str, object]) -> None:
        self._path = out / NAME
        self._record: dict[str, object] = {
            "question": _question_told(question),
            "policy": policy_told(question.policy),
            **told,
        }
        self._decisions: list[dict[str, object]] = []
        self._trials: list[dict[str, object]] = []
        self._end: dict[str, object] = {}

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(str(one["why"]) for one in self._decisions)

    def decide(self, said: Step | Stop, number: int) -> None:
        """Note a decision: what trial `number` is, or why there is none."""
        if isinstance(said, Stop):
            self.note(f"end: {said.why}")
        else:
            self._add({"trial": number, "arm": said.arm.value, "bare": said.bare, "why": said.why})

    def note(self, why: str) -> None:
        """Note something that bears on the plan and is no trial: a canary, an interruption, a void limit."""
        self._add({"trial": None, "why": why})

    def ran(self, trial: Trial) -> None:
        self._trials.append(_trial_told(trial))
        self._write()

    def conclude(self, verdict: str, sentence: str, trials: list[Trial]) -> None:
        """The end of it; `trials` as they finally count, since a canary may have voided some."""
        self._trials = [_trial_told(one) for one in trials]
        self._end = {"verdict": verdict, "sentence": sentence}
        self._write()

    def _add(self, decision: dict[str, object]) -> None:
        self._decisions.append(decision)
        self._write()

    def _write(self) -> None:
        whole = {**self._record, "decisions": self._decisions, "trials": self._trials, **self._end}
        part = self._path.with_name(f"{NAME}.part")
        part.write_text(json.dumps(whole, ensure_ascii=True, indent=1) + "\n", encoding="utf-8")
        part.rename(self._path)


def policy_told(policy: PlanPolicy) -> dict[str, object]:
    """The policy's numbers as plain values, so that a replay can be judged again by the rules of its day."""
    return {**asdict(policy), "beliefs": {arm.value: asdict(one) for arm, one in policy.beliefs.items()}}


def _question_told(question: Question) -> dict[str, object]:
    return {
        "arms": [arm.value for arm in question.ladder.arms],
        "why": question.ladder.why,
        "tightest": question.ladder.tightest.value,
        "seed": question.seed,
        "each": question.each,
        "most": question.most,
        "plain_first": question.plain_first,
        "mixture": question.mixture.name.lower().replace("_", "-"),
    }


def _trial_told(trial: Trial) -> dict[str, object]:
    return {
        "number": trial.spec.number,
        "arm": trial.spec.arm.value,
        "bare": trial.spec.bare,
        "seed": trial.spec.seed,
        "limits": to_plain(trial.spec.limits),
        "perturbation": to_plain(trial.spec.perturbation),
        "outcome": trial.outcome.value,
        "reason": trial.reason,
        "seconds": round(trial.seconds, 3),
        "signature": trial.signature,
        "cause": trial.explanation.cause.kind.value,
    }
