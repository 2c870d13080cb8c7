"""What a step has to tell: tests that were replayed, those that were not, and notes on the runner."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.domain.replay_words import CauseKind
from worker.commands.in_job.source_lint import Sources
from worker.replay.bundle import layout
from worker.replay.bundle.scene import Scene, scene_of
from worker.replay.report import Replay
from worker.replay.trial import Trial
from worker.replay.trial_folder import read_facts


@dataclass(frozen=True, slots=True)
class Replayed:
    """A test that was replayed, with the picture of one of its trials that failed, if any did."""

    replay: Replay
    failed: Trial | None = None
    scene: Scene | None = None
    sources: Sources = field(default_factory=Sources)

    @property
    def has_cause(self) -> bool:
        return self.replay.explanation.cause.kind is not CauseKind.NONE


@dataclass(frozen=True, slots=True)
class JobReport:
    """`not_tried` and `unread`: red tests and results files by name, each with the reason.

    `project` is the project's folder within the repository, empty where it is the repository itself;
    `artifact` the name under which the job keeps the evidence, empty where it did not tell.
    """

    budget_s: float
    red: int = 0
    replayed: tuple[Replayed, ...] = ()
    not_tried: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    project: str = ""
    artifact: str = ""
    is_ended: bool = False

    @property
    def main(self) -> Replayed | None:
        """The one that outputs name: the first with a cause, else the first."""
        return next((one for one in self.replayed if one.has_cause), next(iter(self.replayed), None))


def replayed(replay: Replay) -> Replayed:
    """With what its bundle's page shows. Raises what damaged journals raise."""
    failed = layout.evidence(replay.trials, replay.explanation.cause)
    if failed is None:
        return Replayed(replay)
    return Replayed(replay, failed, scene_of(read_facts(failed.folder), failed.explanation))
