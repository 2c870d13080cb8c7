"""One control group's folder: written to, read from, emptied and removed."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from worker.replay.sandbox import family

REMOVING_S: Final = 5.0


class Unavailable(OSError):
    """This way of holding a limit is not to be had here; the text says why."""


def write(folder: Path, name: str, value: object) -> None:
    """Unavailable where the kernel does not take it, or it is not ours to write."""
    try:
        (folder / name).write_text(str(value))
    except OSError as error:
        raise Unavailable(f"{folder / name} does not take {value}: {error.strerror}") from error


def number(folder: Path, name: str) -> int | None:
    with suppress(OSError, ValueError):
        return int((folder / name).read_text())
    return None


def fields(folder: Path, name: str) -> dict[str, int]:
    """A file of `key value` lines; empty where it is not to be had."""
    found = {}
    with suppress(OSError):
        for line in (folder / name).read_text().splitlines():
            key, _, value = line.partition(" ")
            if value.strip().isdigit():
                found[key] = int(value)
    return found


def members(folder: Path) -> list[int]:
    """Processes of the group and of those below it, which a suspect with rights over it may have made."""
    pids = []
    for one in _with_those_below(folder):
        with suppress(OSError):
            pids += [int(pid) for pid in (one / "cgroup.procs").read_text().split()]
    return pids


def remove(folder: Path) -> int:
    """Kill what is in it and remove it; return how many processes would not go, the group then stays.

    Zombies count as long as their parent does not reap them, which is not in our hands: so it is tried
    for five seconds.
    """
    until = time.monotonic() + REMOVING_S
    pause = 0.001
    while folder.is_dir():
        family.send(members(folder), signal.SIGKILL)
        for one in reversed(_with_those_below(folder)):
            with suppress(OSError):
                one.rmdir()
        if folder.is_dir():
            if time.monotonic() > until:
                return max(1, len(members(folder)))
            time.sleep(pause)
            pause = min(0.1, pause * 2)
    return 0


def _with_those_below(folder: Path) -> list[Path]:
    return [Path(path) for path, _, _ in os.walk(folder)]
