"""Limits by a transient systemd scope: where the manager gives a group to those who may make none."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from worker.replay.limits import Limits, Usage
from worker.replay.sandbox import group
from worker.replay.sandbox.cgroup_v2 import LOW_WEIGHT, usage_of
from worker.replay.sandbox.group import Unavailable
from worker.replay.sandbox.hierarchies import own_groups

NAME: Final = "systemd-scope"
ASKING_S: Final = 5.0


class Scope:
    """The command that puts a program into a scope with limits; the group is known once it has started.

    The manager takes CPU, memory and process limits together, so all of them are given before the start.
    """

    name = NAME
    controllers = frozenset({"cpu", "memory", "pids"})
    joins: tuple[Path, ...] = ()

    def __init__(self, name: str) -> None:
        self.missing: dict[str, str] = {}
        self._unit = f"{name}.scope"
        self._properties: list[str] = []
        self._folder: Path | None = None
        if not Path("/run/systemd/system").is_dir() or shutil.which("systemd-run") is None:
            raise Unavailable("systemd does not run here")
        self._ask_for_one()

    @property
    def prefix(self) -> tuple[str, ...]:
        return scope_command(self._unit, self._properties, is_root=os.geteuid() == 0)

    def limit_cpus(self, limits: Limits) -> None:
        self._properties += cpu_properties(limits)

    def limit_memory(self, most_bytes: int) -> None:
        self._properties += [f"MemoryMax={most_bytes}", "MemorySwapMax=0"]

    def limit_processes(self, most: int) -> None:
        self._properties.append(f"TasksMax={most}")

    def started(self, pid: int) -> None:
        """Find the scope's group by a process that was started in it."""
        folder = own_groups(str(pid)).unified
        if folder is not None and folder.name == self._unit:
            self._folder = folder

    def usage(self) -> Usage:
        return usage_of(self._folder, self.controllers) if self._folder else Usage()

    def members(self) -> list[int]:
        return group.members(self._folder) if self._folder else []

    def freeze(self) -> bool:
        with suppress(Unavailable):
            if self._folder is not None:
                group.write(self._folder, "cgroup.freeze", 1)
                return True
        return False

    def thaw(self) -> None:
        with suppress(Unavailable):
            if self._folder is not None:
                group.write(self._folder, "cgroup.freeze", 0)

    def remove(self) -> int:
        """The manager removes the group once it is empty."""
        if self._folder is None:
            return 0
        self.thaw()
        stop_unit(self._unit)
        return int(group.remove(self._folder) > 0)

    def _ask_for_one(self) -> None:
        """A scope that does nothing: a manager that is there may still refuse."""
        command = [*scope_command(f"try-{self._unit}", [], is_root=os.geteuid() == 0), "true"]
        try:
            done = subprocess.run(  # noqa: S603 - the system's own program, our own words
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=ASKING_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"systemd gives no scope: {error}") from error
        if done.returncode != 0:
            raise Unavailable(
                f"systemd gives no scope: {done.stderr[:200].decode('utf-8', 'replace').strip()}"
            )


def scope_command(unit: str, properties: Sequence[str], *, is_root: bool) -> tuple[str, ...]:
    """What stands before a command that is to run in a scope: of the system's manager, or of our user's."""
    whose = () if is_root else ("--user",)
    told = (f"--property={one}" for one in properties)
    return ("systemd-run", *whose, "--scope", "--quiet", "--collect", f"--unit={unit}", *told)


def cpu_properties(limits: Limits) -> list[str]:
    properties = []
    if limits.cpus is not None:
        properties.append(f"CPUQuota={max(1, round(limits.cpus * 100))}%")
        properties.append(f"CPUQuotaPeriodSec={limits.period_us}us")
    if limits.low_weight:
        properties.append(f"CPUWeight={LOW_WEIGHT}")
    return properties


def stop_unit(unit: str) -> None:
    """Also one that is gone already."""
    whose = () if os.geteuid() == 0 else ("--user",)
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(  # noqa: S603 - the system's own program, a name of our own
            ["systemctl", *whose, "stop", unit],  # noqa: S607 - found as the operator's shell finds it
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASKING_S,
            check=False,
        )
