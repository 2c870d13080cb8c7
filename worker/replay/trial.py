"""A trial: what is asked for, and what came of it. One row of the replay's report."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.domain.replay_words import Arm, CauseKind, FindingKind, Outcome
from worker.replay.facts import Frame, Linked
from worker.replay.limits import Held, Limits, Usage
from worker.replay.probe.inject import CONTROL


@dataclass(frozen=True, slots=True)
class Perturbation:
    """What an arm does to the ranks beside limiting them. Everything random in it follows from `seed`."""

    pause_ms: tuple[float, float] | None = None  # length of one stop of a random rank, log-uniform between
    pause_gap_ms: tuple[float, float] = (0.0, 10.0)  # between two stops, uniform
    store_delay_s: float = 0.0  # before each store operation, uniform from 0
    skew_s: float = 0.0  # before each collective and init, uniform from 0
    most_delay_s: float = 2.0  # all delays of one process together
    busy_neighbours: int = 0  # processes that burn beside the tree


@dataclass(frozen=True, slots=True)
class TrialSpec:
    """One trial to run. The same spec and seed give the same limits and the same perturbation again."""

    number: int
    test: str  # node id as pytest takes it
    arm: Arm
    bare: bool
    seed: int
    limits: Limits
    perturbation: Perturbation = field(default_factory=Perturbation)
    ends_early: bool = True  # end it once a divergence is proven; never for bare trials
    inject: str | None = None  # a fault for the probe to carry out, or `control`: probe/inject.py

    @property
    def is_injected(self) -> bool:
        """It carries a fault of ours, and says nothing of how often the test fails."""
        return self.inject not in {None, CONTROL}


@dataclass(frozen=True, slots=True)
class Position:
    """A collective as the report names it."""

    group: str
    number: int
    op: str
    reduce_op: str | None = None
    call_site: str | None = None  # "file:line in function"
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """Where a mend of a divergence must stand: after one call site and before another."""

    after: str | None
    before: str | None
    frames_by_rank: Mapping[int, tuple[Frame, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Thrown:
    """The origin's exception, with everything that a reader of the log never saw."""

    type: str
    message: str
    cause: Linked | None
    context: Linked | None
    frames: tuple[Frame, ...]  # outer to inner


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a trial failed. `sentence` is what a person would quote."""

    kind: CauseKind
    sentence: str = ""
    rank: int | None = None  # the origin; None where no rank is one
    exception: Thrown | None = None
    collective: Position | None = None
    window: Window | None = None
    consequences: tuple[str, ...] = ()  # one sentence for each other rank that failed because of it
    place: str | None = None  # project frame of the origin, "file:function": what agreement compares
    signal: int | None = None
    facts: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    kind: FindingKind
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is said of one trial."""

    cause: Explained
    findings: tuple[Finding, ...] = ()
    matched: Mapping[str, int] = field(default_factory=dict)  # group -> collectives that all its ranks shared
    timeline: tuple[str, ...] = ()  # the raw lines, of every trial that failed
    entered: Mapping[str, Mapping[int, int]] = field(
        default_factory=dict
    )  # group -> rank -> collectives entered


@dataclass(frozen=True, slots=True)
class Cleanup:
    """What was looked for after the trial and what was found; all zero where nothing was left behind."""

    processes: int = 0
    groups: int = 0
    mounts: int = 0
    ports: int = 0
    paths: int = 0
    notes: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        return not (self.processes or self.groups or self.mounts or self.ports or self.paths)


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial that was run, with the folder that holds what it left behind."""

    spec: TrialSpec
    outcome: Outcome
    folder: Path
    seconds: float
    held: Held
    usage: Usage = field(default_factory=Usage)
    cleanup: Cleanup = field(default_factory=Cleanup)
    exit_code: int | None = None  # of pytest's process
    failure_message: str = ""  # as in the trial's own JUnit file
    failure_text: str = ""
    signature: str | None = None  # the group key, by the code that signs CI's failures
    opaque: bool = False
    reason: str = ""  # of no-trial, void, timed-out, ended-early
    explanation: Explanation = field(default_factory=lambda: Explanation(Explained(CauseKind.NONE)))
