"""Holds one tree to its limits: each resource by the first way that is to be had here."""

import math
import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final, Protocol

from worker.replay.limits import Hold, Limits, Usage
from worker.replay.sandbox import cgroup_v1, cgroup_v2, family, stop_and_continue, systemd_scope
from worker.replay.sandbox.cgroup_v1 import VersionOne
from worker.replay.sandbox.cgroup_v2 import VersionTwo
from worker.replay.sandbox.group import Unavailable
from worker.replay.sandbox.hierarchies import own_groups
from worker.replay.sandbox.owner import new_name
from worker.replay.sandbox.root_plan import USER
from worker.replay.sandbox.stop_and_continue import StopAndContinue
from worker.replay.sandbox.systemd_scope import Scope
from worker.replay.sandbox.user_tasks import tasks_of

AFFINITY: Final = "affinity"
KILLING_S: Final = 5.0
LOOKING_S: Final = 0.002
ORDER: Final = (cgroup_v2.NAME, cgroup_v1.NAME, systemd_scope.NAME, stop_and_continue.NAME, AFFINITY)


class Groups(Protocol):
    """Control groups of the trial, of whichever kind."""

    @property
    def name(self) -> str: ...
    @property
    def controllers(self) -> frozenset[str]: ...
    @property
    def joins(self) -> tuple[Path, ...]: ...
    def limit_cpus(self, limits: Limits) -> None: ...
    def limit_memory(self, most_bytes: int) -> None: ...
    def limit_processes(self, most: int) -> None: ...
    def usage(self) -> Usage: ...
    def members(self) -> list[int]: ...
    def freeze(self) -> bool: ...
    def thaw(self) -> None: ...
    def remove(self) -> int: ...


@dataclass(slots=True)
class OnEntry:
    """What a process does to itself before it becomes the suspect's first."""

    joins: tuple[Path, ...] = ()
    resources: dict[str, int] = field(default_factory=dict)  # RLIMIT_ names without the prefix
    cores: tuple[int, ...] = ()
    prefix: tuple[str, ...] = ()  # the command that starts it


class Limiter:
    """Limits of one trial. `cpus`, `memory`, `processes`: how far each could be held here, asked or not."""

    def __init__(self, limits: Limits, *, as_root: bool, backends: Sequence[str] = ORDER) -> None:
        self.name = new_name()
        self.notes: list[str] = []
        self._troubles: list[str] = []
        self.on_entry = OnEntry(resources={"FSIZE": limits.disk_bytes, "CORE": 0})
        self._limits = limits
        self._backends = backends
        self._as_root = as_root
        self._roots: list[int] = []
        self._quota: StopAndContinue | None = None
        self._groups: list[Groups] = []
        self._make_groups()
        self.on_entry.joins = tuple(path for one in self._groups for path in one.joins)
        self.by = AFFINITY
        self.cpus = self._hold_cpus()
        self.memory = self._hold_memory()
        self.processes = self._hold_processes()
        self.on_entry.prefix = next((one.prefix for one in self._groups if isinstance(one, Scope)), ())

    def started(self, pid: int) -> None:
        """Tell the root of the tree, once it runs."""
        self._roots.append(pid)
        for one in self._groups:
            if isinstance(one, Scope):
                one.started(pid)
        if self._quota is not None:
            self._quota.started(pid)

    def usage(self) -> Usage:
        """Of each figure the first that could be had."""
        found = [one.usage() for one in self._groups] + ([self._quota.usage()] if self._quota else [])
        return Usage(
            **{
                one.name: next(
                    (value for usage in found if (value := getattr(usage, one.name)) is not None), None
                )
                for one in fields(Usage)
            }
        )

    def members(self) -> list[int]:
        """Our numbers of all processes of the tree; without groups, of those that still hang together."""
        pids = {pid for one in self._groups for pid in one.members()}
        for root in self._roots:
            pids |= {member.pid for member in family.descendants(root)}
            pids |= set() if self._groups else set(family.session_of(root))
        return sorted(pids)

    def freeze(self) -> bool:
        """Hold the whole tree still. By groups at one moment for all, else by a signal to each."""
        if sum(one.freeze() for one in self._groups):
            return True
        if self._quota is not None:
            self._quota.freeze()
        family.send(self.members(), signal.SIGSTOP)
        return True

    def thaw(self) -> None:
        for one in self._groups:
            one.thaw()
        if self._quota is not None:
            self._quota.thaw()
        family.send(self.members(), signal.SIGCONT)

    def kill(self) -> None:
        """Those first that were started last, so that none loses its parent before it is found."""
        self.thaw()
        until = time.monotonic() + KILLING_S
        while time.monotonic() < until:
            living = self._living()
            if not living:
                return
            for number in (signal.SIGSTOP, signal.SIGKILL):
                family.send([pid for pid in living if pid not in self._roots] or living, number)
            time.sleep(LOOKING_S)

    def remove(self) -> tuple[int, int]:
        """End it all; return how many processes and groups are left."""
        if self._quota is not None:
            self._quota.end()
        self.kill()
        left = sum(one.remove() for one in self._groups)
        return len(self._living()), left

    def _living(self) -> list[int]:
        return [pid for pid in self.members() if (look := family.look_at(pid)) and look.state not in "ZX"]

    def _make_groups(self) -> None:
        own = own_groups()
        if cgroup_v2.NAME in self._backends and own.unified is not None:
            unified = own.unified
            self._try_groups(lambda: VersionTwo(unified, self.name))
        if cgroup_v1.NAME in self._backends and own.v1:
            rest = {one: folder for one, folder in own.v1.items() if not self._has(one)}
            self._try_groups(lambda: VersionOne(rest, self.name))
        if systemd_scope.NAME in self._backends and not self._has("cpu"):
            self._try_groups(lambda: Scope(self.name))

    def _try_groups(self, make: Callable[[], Groups]) -> None:
        try:
            self._groups.append(make())
        except Unavailable as error:
            self._troubles.append(f"{error}.")

    def _has(self, controller: str) -> Groups | None:
        return next((one for one in self._groups if controller in one.controllers), None)

    def _hold_cpus(self) -> Hold:
        cpus = self._limits.cpus
        groups = self._has("cpu")
        if groups is not None:
            try:
                groups.limit_cpus(self._limits)
            except Unavailable as error:
                self.notes.append(f"{error}: a group above allows less, or other values.")
            else:
                self.by = groups.name
                return Hold.ENFORCED
        self.notes += self._troubles
        if self._limits.low_weight:
            self.notes.append("Without a CPU controller the tree's share cannot be lowered.")
        if stop_and_continue.NAME in self._backends:
            self.by = stop_and_continue.NAME
            if cpus is not None:
                self._quota = StopAndContinue(cpus, self._limits.period_us)
                self.notes.append("The CPU quota is kept by stopping and continuing the tree every few ms.")
            return Hold.APPROXIMATED
        if AFFINITY in self._backends:
            if cpus is not None:
                self.on_entry.cores = tuple(sorted(os.sched_getaffinity(0))[: max(1, math.ceil(cpus))])
                self.notes.append(f"{cpus:g} CPUs are held as {len(self.on_entry.cores)} whole ones.")
            return Hold.APPROXIMATED
        return Hold.ABSENT

    def _hold_memory(self) -> Hold:
        most = self._limits.memory_bytes
        groups = self._has("memory")
        if groups is not None:
            try:
                if most is not None:
                    groups.limit_memory(most)
            except Unavailable as error:
                self.notes.append(f"{error}.")
            else:
                return Hold.ENFORCED
        if most is not None:
            self.on_entry.resources["DATA"] = most
            self.notes.append(
                "Each process alone may map so much private memory; more is a MemoryError, not a kill."
            )
        return Hold.APPROXIMATED

    def _hold_processes(self) -> Hold:
        groups = self._has("pids")
        if groups is not None:
            with suppress(Unavailable):
                groups.limit_processes(self._limits.processes)
                return Hold.ENFORCED
        if self._as_root:
            self.notes.append("Root's processes cannot be bounded without a controller for them.")
            return Hold.ABSENT
        # What the user runs besides must not count against this tree, and another trial may yet grow as far.
        besides = tasks_of(os.geteuid() or USER)
        self.on_entry.resources["NPROC"] = 2 * self._limits.processes + besides
        self.notes.append("Processes are bounded for the user as a whole, not for the tree.")
        return Hold.APPROXIMATED
