"""A file for each open sandbox, by which the next start finds what a killed engine left."""

import json
import os
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from worker.replay.sandbox.owner import owner_in, started_at
from worker.replay.sandbox.refused import Refused

_PRIVATE = 0o700
_RECORD_BYTES = 64 << 10


class Left(NamedTuple):
    """What one sandbox of a dead owner had: its name, folder, groups, and (pid, start) of what it launched.

    The groups are told, since who sweeps may be in another group, and finds only what is below its own.
    """

    file: Path
    name: str
    folder: Path
    launched: tuple[tuple[int, int], ...]
    groups: tuple[Path, ...] = ()


class Record:
    """One sandbox's entry, written whole each time."""

    def __init__(self, name: str, folder: Path, groups: Sequence[Path]) -> None:
        self._file = _home() / name
        self._folder = folder
        self._groups = [str(one) for one in groups]
        self._launched: list[tuple[int, int]] = []
        self._write()

    def add(self, pid: int) -> None:
        started = started_at(pid)
        if started is not None:
            self._launched.append((pid, started))
            self._write()

    def drop(self) -> None:
        self._file.unlink(missing_ok=True)

    def _write(self) -> None:
        beside = self._file.with_suffix(".new")
        told = {"folder": str(self._folder), "launched": self._launched, "groups": self._groups}
        beside.write_text(json.dumps(told), encoding="utf-8")
        beside.replace(self._file)


def of_the_dead() -> Iterator[Left]:
    """Entries whose owner no longer lives; what cannot be read is taken for an entry with nothing in it."""
    for file in sorted(_home().iterdir()):
        owner = owner_in(file.name.removesuffix(".new"))
        if owner is None or owner.is_alive:
            continue
        folder = file / "nowhere"
        launched: tuple[tuple[int, int], ...] = ()
        groups: tuple[Path, ...] = ()
        with suppress(OSError, ValueError, KeyError, TypeError):
            told = json.loads(file.read_bytes()[:_RECORD_BYTES])
            folder = Path(told["folder"])
            launched = tuple((int(pid), int(started)) for pid, started in told["launched"])
            groups = tuple(Path(one) for one in told["groups"] if owner_in(Path(one).name) == owner)
        yield Left(file, file.name, folder, launched, groups)


def mounts_below(folder: Path) -> int:
    """Mounts in our own namespace at or below a folder."""
    with suppress(OSError):
        points = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        return sum(point == str(folder) or point.startswith(f"{folder}/") for point in points)
    return 0


def _home() -> Path:
    """A folder of our user alone. Refused where somebody else made it first."""
    home = Path(tempfile.gettempdir(), f"flake-triage-sandboxes-{os.geteuid()}")
    home.mkdir(mode=_PRIVATE, exist_ok=True)
    status = home.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise Refused(f"{home} is not a folder of ours alone: remove it.")
    return home
