"""What the engine saw of a trial's processes from outside: one event a line, written while it runs."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from worker.replay.regular_file import read_bounded

LONGEST_LINE: Final = 64 << 10
MOST_BYTES: Final = 64 << 20
MOST_ARGUMENTS: Final = 64


@dataclass(frozen=True, slots=True)
class Forked:
    """A process began. `pid` is None where it was gone before its number inside could be looked up."""

    t: int
    host: int  # number in the engine's own namespace
    host_parent: int
    pid: int | None
    depth: int = 1  # pid namespaces that it is in
    argv: tuple[str, ...] = ()  # its parent's, until it execs
    is_python: bool = True


@dataclass(frozen=True, slots=True)
class Executed:
    """A process became another program. Rank and world are those of its environment, if it had them."""

    t: int
    host: int
    argv: tuple[str, ...]
    is_python: bool
    rank: int | None = None
    world: int | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """A process ended; `status` is as wait(2) gives it, None where the end was seen and no status."""

    t: int
    host: int
    status: int | None
    source: str  # "proc-connector", "pidfd", "proc"


@dataclass(frozen=True, slots=True)
class Signalled:
    """The kernel made a signal for a process, sent by another (or by itself)."""

    t: int
    sender: int  # both in the engine's own namespace
    target: int
    signal: int
    target_state: str | None = None  # of /proc, at the last look before
    target_cpu_grew: bool | None = None  # between the last two looks before


Event = Forked | Executed | Left | Signalled

_KINDS: Final = {kind.__name__: kind for kind in (Forked, Executed, Left, Signalled)}
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}


def to_line(event: Event) -> str:
    return json.dumps({"event": _NAMES[type(event)], **asdict(event)}, separators=(",", ":")) + "\n"


def read_events(path: Path) -> Iterator[Event]:
    """All that can be read, oldest first; a torn or foreign line is left out."""
    for line in read_bounded(path, MOST_BYTES).splitlines():
        if len(line) > LONGEST_LINE:
            continue
        try:
            told = json.loads(line)
            kind = _KINDS[told.pop("event")]
            if "argv" in told:
                told["argv"] = tuple(str(one) for one in told["argv"])
            yield kind(**told)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
