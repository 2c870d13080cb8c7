"""Limits by control groups of version 2: one group, with those controllers that we were given.

A group that hands controllers on may hold no processes itself, the root excepted. So a service that was
given its group moves itself into a leaf of it first, and only where nobody else's processes are in there.
"""

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from worker.replay.limits import Limits, Usage
from worker.replay.sandbox import family, group
from worker.replay.sandbox.group import Unavailable

NAME: Final = "cgroup-v2"
WANTED: Final = ("cpu", "memory", "pids")
LEAF: Final = "flake-triage-service"
LOW_WEIGHT: Final = 7  # what 64 shares of version 1 are


class VersionTwo:
    """The group of one trial, below the group that we were given."""

    name = NAME

    def __init__(self, own: Path, name: str) -> None:
        parent = own.parent if own.name == LEAF else own
        self.missing: dict[str, str] = {}
        self._delegate(parent)
        self._folder = parent / name
        try:
            self._folder.mkdir()
        except OSError as error:
            raise Unavailable(f"{parent} is not ours to make a group in: {error.strerror}") from error
        given = _words(self._folder / "cgroup.controllers")
        self.controllers = frozenset(WANTED) & given
        if not self.controllers or (self._folder / "cgroup.type").read_text().strip() != "domain":
            self._folder.rmdir()
            raise Unavailable("; ".join(self.missing.values()) or f"{parent} was given no controller")
        if (self._folder / "cgroup.freeze").exists():
            self.controllers |= {"freezer"}
        for controller in set(WANTED) - given:
            self.missing.setdefault(controller, f"{parent} hands no {controller} controller on")

    @property
    def joins(self) -> tuple[Path, ...]:
        return (self._folder / "cgroup.procs",)

    def limit_cpus(self, limits: Limits) -> None:
        if limits.cpus is not None:
            quota = max(1000, round(limits.cpus * limits.period_us))
            group.write(self._folder, "cpu.max", f"{quota} {limits.period_us}")
        if limits.low_weight:
            group.write(self._folder, "cpu.weight", LOW_WEIGHT)

    def limit_memory(self, most_bytes: int) -> None:
        """Swap is no way out, where the machine has any."""
        group.write(self._folder, "memory.max", most_bytes)
        with suppress(Unavailable):
            group.write(self._folder, "memory.swap.max", 0)

    def limit_processes(self, most: int) -> None:
        group.write(self._folder, "pids.max", most)

    def usage(self) -> Usage:
        return usage_of(self._folder, self.controllers)

    def members(self) -> list[int]:
        return group.members(self._folder)

    def freeze(self) -> bool:
        with suppress(Unavailable):
            group.write(self._folder, "cgroup.freeze", 1)
            return True
        return False

    def thaw(self) -> None:
        with suppress(Unavailable):
            group.write(self._folder, "cgroup.freeze", 0)

    def remove(self) -> int:
        self.thaw()
        with suppress(Unavailable):
            group.write(self._folder, "cgroup.kill", 1)
        return int(group.remove(self._folder) > 0)

    def _delegate(self, parent: Path) -> None:
        """Hand on what we were given and do not hand on yet; what cannot be is told in `missing`."""
        given = _words(parent / "cgroup.controllers")
        wanted = [one for one in WANTED if one in given - _words(parent / "cgroup.subtree_control")]
        if wanted and _pids_in(parent):
            if not _is_ours_alone(parent):
                # The kernel would hand some on all the same, to groups that take no processes then.
                self.missing = dict.fromkeys(wanted, f"{parent} holds processes that are not ours")
                return
            _move_to_leaf(parent)
        for controller in wanted:
            try:
                group.write(parent, "cgroup.subtree_control", f"+{controller}")
            except Unavailable as error:
                self.missing[controller] = str(error)


def usage_of(folder: Path, controllers: frozenset[str]) -> Usage:
    """What a group of version 2 counted. CPU time is counted without a controller too."""
    stat = group.fields(folder, "cpu.stat")
    usage = Usage(cpu_ns=_as_ns(stat.get("usage_usec")))
    if "cpu" in controllers:
        usage = replace(
            usage,
            periods=stat.get("nr_periods"),
            throttled_periods=stat.get("nr_throttled"),
            throttled_ns=_as_ns(stat.get("throttled_usec")),
        )
    if "memory" in controllers:
        usage = replace(
            usage,
            memory_peak_bytes=group.number(folder, "memory.peak"),
            oom_kills=group.fields(folder, "memory.events").get("oom_kill"),
        )
    return usage


def _is_ours_alone(folder: Path) -> bool:
    """Holds nothing but this process and its descendants."""
    return _pids_in(folder) <= {member.pid for member in family.descendants(os.getpid())}


def _pids_in(folder: Path) -> set[int]:
    """Processes that stand in the way of handing on; in the root none does."""
    if not (folder / "cgroup.type").exists():
        return set()
    with suppress(OSError, ValueError):
        return {int(pid) for pid in (folder / "cgroup.procs").read_text().split()}
    return {0}


def _move_to_leaf(folder: Path) -> None:
    """Where it does not work, handing controllers on does not either, and says why."""
    with suppress(OSError):
        leaf = folder / LEAF
        leaf.mkdir(exist_ok=True)
        for pid in (folder / "cgroup.procs").read_text().split():
            (leaf / "cgroup.procs").write_text(pid)


def _words(file: Path) -> frozenset[str]:
    with suppress(OSError):
        return frozenset(file.read_text().split())
    return frozenset()


def _as_ns(microseconds: int | None) -> int | None:
    return None if microseconds is None else microseconds * 1000
