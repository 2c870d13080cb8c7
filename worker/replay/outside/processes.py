"""One process as /proc shows it from outside: its number inside, its command line, its rank's environment."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from worker.replay.outside_events import MOST_ARGUMENTS

_COMMAND_BYTES: Final = 32 << 10
_ENVIRONMENT_BYTES: Final = 256 << 10
_STATUS_BYTES: Final = 8 << 10
_ARGUMENT_CHARS: Final = 400
_USER_TICKS: Final = 11
_EXIT_CODE: Final = 49  # its field in stat, counted from the state
_SMALL: Final = re.compile(rb"[0-9]{1,6}")


class Numbers(NamedTuple):
    """A process's number in its innermost namespace, and how many namespaces deep that is."""

    inside: int
    depth: int


def numbers(pid: int) -> Numbers | None:
    """None once it is gone (reaped; a zombie is still known)."""
    _, found, rest = _read(pid, "status", _STATUS_BYTES).partition(b"\nNSpid:")
    if not found:
        return None
    line = rest.split(b"\n", 1)[0].split()
    return Numbers(int(line[-1]), len(line)) if line else None


def leader_of(thread: int) -> int | None:
    """The process that a thread belongs to; None once it is gone."""
    _, found, rest = _read(thread, "status", _STATUS_BYTES).partition(b"\nTgid:")
    return int(rest.split(b"\n", 1)[0]) if found else None


def arguments(pid: int) -> tuple[str, ...]:
    """Its command line, bounded; empty for a zombie, and for what is gone."""
    given = _read(pid, "cmdline", _COMMAND_BYTES).split(b"\0")[:MOST_ARGUMENTS]
    return tuple(one.decode("utf-8", "replace")[:_ARGUMENT_CHARS] for one in given if one)


def is_python(pid: int, argv: tuple[str, ...]) -> bool:
    """By its executable's name, or, where that is not ours to see, by its own first word."""
    name = argv[0] if argv else ""
    with suppress(OSError):
        name = os.readlink(f"/proc/{pid}/exe")  # noqa: PTH115 - a magic link; its text is wanted
    return "python" in Path(name).name.lower()


def rank_and_world(pid: int) -> tuple[int | None, int | None]:
    """RANK and WORLD_SIZE of the environment that it was started with."""
    found: dict[bytes, int] = {}
    for line in _read(pid, "environ", _ENVIRONMENT_BYTES).split(b"\0"):
        name, _, value = line.partition(b"=")
        if name in {b"RANK", b"WORLD_SIZE"} and _SMALL.fullmatch(value):
            found[name] = int(value)
    return found.get(b"RANK"), found.get(b"WORLD_SIZE")


def children(pid: int) -> list[int]:
    """Its living children, of all its threads; empty once it is gone."""
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - names are wanted, often
            found += [int(one) for one in _read(pid, f"task/{thread}/children", 64 << 10).split()]
    return found


def activity(pid: int) -> tuple[str, int] | None:
    """Its state's letter, and the CPU time it has used, in the kernel's ticks; None once it is gone."""
    fields = _read(pid, "stat", 4096).rpartition(b")")[2].split()
    if len(fields) <= _EXIT_CODE:
        return None
    return fields[0].decode("ascii", "replace"), int(fields[_USER_TICKS]) + int(fields[_USER_TICKS + 1])


def status_of_dead(pid: int) -> int | None:
    """The wait status of a zombie, where we may read it: the last field of its stat line."""
    fields = _read(pid, "stat", 4096).rpartition(b")")[2].split()
    if len(fields) < _EXIT_CODE + 1 or fields[0] != b"Z":
        return None
    return int(fields[_EXIT_CODE])


def error_tail(pid: int, most_bytes: int) -> bytes:
    """The end of what is behind its standard error, where that is a file: pytest's own capture is one."""
    path = f"/proc/{pid}/fd/2"
    with suppress(OSError):
        if not Path(path).is_file():
            return b""
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(opened, "rb") as file:
            file.seek(max(0, os.fstat(opened).st_size - most_bytes))
            return file.read(most_bytes)
    return b""


def _read(pid: int, name: str, most: int) -> bytes:
    with suppress(OSError), Path("/proc", str(pid), name).open("rb") as opened:
        return opened.read(most)
    return b""
