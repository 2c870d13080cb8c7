"""The report of a replay: one object for each test, as scripts read it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from app.domain.injection import Injected
from app.domain.replay_words import Arm, ReplayVerdict
from worker.replay.facts import Frame, Linked
from worker.replay.trial import Explained, Explanation, Finding, Position, Thrown, Trial, Window


@dataclass(frozen=True, slots=True)
class Bound:
    """Failures among the countable trials, with the exact 95 % interval of the rate."""

    failures: int
    trials: int
    rate_low_95: float
    rate_high_95: float


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Which limit flips the outcome: failures of trials under the arm and in its control, and Fisher's p."""

    arm: Arm
    failures: int
    trials: int
    control_failures: int
    control_trials: int
    p: float  # one-sided
    only_under: bool  # the control never failed and p is below 0.05
    text: str


@dataclass(frozen=True, slots=True)
class ArmCount:
    """Failures of trials in one arm, bare and probed apart."""

    arm: Arm
    bare_failures: int = 0
    bare_trials: int = 0
    probed_failures: int = 0
    probed_trials: int = 0
    voids: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay of one test came to."""

    test: str
    verdict: ReplayVerdict
    sentence: str  # the verdict in words, with its counts and its limits
    explanation: Explanation
    findings: tuple[Finding, ...]
    trials: tuple[Trial, ...]
    arms: tuple[ArmCount, ...]
    bound: Bound
    sensitivity: tuple[Sensitivity, ...]
    limits: Mapping[str, object]  # asked for and held, by name
    bundle: Path | None = None
    decisions: tuple[str, ...] = ()  # of the plan, one sentence each, in order
    seed: int = 0
    collateral: tuple[Explained, ...] = field(
        default_factory=tuple
    )  # failures of another signature and cause
    injected: Injected | None = None  # where faults of ours were put in; its trials count for nothing else

    def as_json(self) -> dict[str, object]:
        """The object of the command line's contract; `cause` is always an object."""
        return {
            "test": self.test,
            "verdict": self.verdict.value,
            "sentence": self.sentence,
            "cause": cause_json(self.explanation.cause),
            "findings": [{"kind": one.kind.value, "text": one.text} for one in self.findings],
            "trials": [trial_json(one) for one in self.trials],
            "bound": asdict(self.bound),
            "sensitivity": [{**asdict(one), "arm": one.arm.value} for one in self.sensitivity],
            "matched_collectives": dict(self.explanation.matched),
            "limits": dict(self.limits),
            "bundle": str(self.bundle) if self.bundle else None,
            "collateral": [cause_json(one) for one in self.collateral],
            "decisions": list(self.decisions),
            "seed": self.seed,
            **({} if self.injected is None else {"injected": self.injected.as_json()}),
        }


def trial_json(trial: Trial) -> dict[str, object]:
    return {
        "arm": trial.spec.arm.value,
        "bare": trial.spec.bare,
        "outcome": trial.outcome.value,
        "signature": trial.signature,
        "cause_kind": trial.explanation.cause.kind.value,
        "seconds": round(trial.seconds, 3),
        "number": trial.spec.number,
        "seed": trial.spec.seed,
        "reason": trial.reason,
        **({"inject": trial.spec.inject} if trial.spec.inject is not None else {}),
    }


def cause_json(cause: Explained) -> dict[str, object]:
    """`{"kind": "none"}` at least; with a sentence every key, null where it is not known."""
    known: dict[str, object] = {
        "rank": cause.rank,
        "sentence": cause.sentence,
        "exception": _thrown(cause.exception) if cause.exception else None,
        "collective": _position(cause.collective) if cause.collective else None,
        "window": _window(cause.window) if cause.window else None,
        "signal": cause.signal,
        "facts": dict(cause.facts) or None,
    }
    if not cause.sentence:
        return {"kind": cause.kind.value}
    return {"kind": cause.kind.value, **known, "consequences": list(cause.consequences)}


def _thrown(thrown: Thrown) -> dict[str, object]:
    return {
        "type": thrown.type,
        "message": thrown.message,
        "cause": _linked(thrown.cause),
        "context": _linked(thrown.context),
        "frames": [_frame(one) for one in thrown.frames],
    }


def _linked(link: Linked | None) -> dict[str, object] | None:
    if link is None:
        return None
    return {
        "type": link.type,
        "message": link.message,
        "cause": _linked(link.cause),
        "context": _linked(link.context),
        "frames": [_frame(one) for one in link.frames],
    }


def _frame(frame: Frame) -> dict[str, object]:
    return {"file": frame.file, "line": frame.line, "function": frame.function, "source": frame.source}


def _position(position: Position) -> dict[str, object]:
    return asdict(position)


def _window(window: Window) -> dict[str, object]:
    return {
        "after": window.after,
        "before": window.before,
        "frames_by_rank": {
            str(rank): [_frame(one) for one in frames] for rank, frames in window.frames_by_rank.items()
        },
    }
