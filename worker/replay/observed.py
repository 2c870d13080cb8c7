"""What one trial showed to its engine and its supervisor, beside the events of its processes."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from worker.replay.facts import Frame, Pause, Survivor, Throttling
from worker.replay.trial import Position, Thrown


def code_of(status: int) -> int:
    """A wait status as an exit code, negative for a signal. Total: of what is no status the upper byte."""
    try:
        return os.waitstatus_to_exitcode(status & 0xFFFF)
    except ValueError:
        return status >> 8 & 0xFF


@dataclass(frozen=True, slots=True)
class Waited:
    """A process that the supervisor reaped: pytest's own, or an orphan. `status` is as wait(2) gives it."""

    pid: int
    t: int
    status: int


@dataclass(frozen=True, slots=True)
class Left:
    """Files that the tree left in `shm`, `tmp` or `project`, as the inside says it; so many at most."""

    place: str
    names: tuple[str, ...]


HELD: Final = frozenset({"provisional", "proven"})
"""What a naming is while it stands."""


@dataclass(frozen=True, slots=True)
class Absent:
    """What was known of a missing rank at the moment of the naming; None and empty where nothing was."""

    rank: int
    last: Position | None = None  # the last collective of the group that it had entered
    is_inside: bool = False  # it was still in that one
    is_matched: bool = False  # it and the waiting rank had both come through that one
    raised: Thrown | None = None  # since then
    stack: tuple[Frame, ...] = ()  # taken while the other waited, innermost first


@dataclass(frozen=True, slots=True)
class Naming:
    """A rank was named as waiting where another rank is missing. `proof` is empty while it is provisional.

    What is known of the ranks is of a moment when it stood, however it ended.
    """

    t: int
    what: str  # "provisional", "proven", "withdrawn", "borne-out": the wait failed before the missing came
    pid: int
    rank: int | None
    group: str
    number: int
    op: str
    since: int
    missing: tuple[int, ...]  # ranks
    proof: str = ""
    reduce_op: str | None = None
    call_site: str | None = None  # "file:line in function"
    stack: tuple[Frame, ...] = ()  # of the waiting rank, innermost first
    absent: tuple[Absent, ...] = ()  # one for each missing rank


@dataclass(frozen=True, slots=True)
class Observed:
    """Times are monotonic nanoseconds; process numbers are those inside the trial's namespace."""

    began: int
    ended: int
    main: int | None = None  # None: pytest was never started
    supervisor: int | None = None
    project: str = ""  # as the suspect saw it
    waits: tuple[Waited, ...] = ()
    survivors: tuple[Survivor, ...] = ()
    pauses: tuple[Pause, ...] = ()
    throttling: tuple[Throttling, ...] = ()
    namings: tuple[Naming, ...] = ()
    killed_from: int | None = None  # from when on processes die by our hand
    timed_out: bool = False
    ended_early_at: int | None = None
    source: str = ""  # who saw the processes: "proc-connector" or "pidfd"
    lost_events: int = 0
    unnamed: int = 0  # processes that were gone before their number could be read
    dropped_output_bytes: int = 0
    error_tails: Mapping[int, str] = field(default_factory=dict)  # captured stderr of those stuck at the end
    left: tuple[Left, ...] = ()  # looked for only where a fault was injected, and in its control
    notes: tuple[str, ...] = ()
