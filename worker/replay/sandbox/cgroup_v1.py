"""Limits by control groups of version 1: a group per controller, each below the one that we are in."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from worker.replay.limits import Limits, Usage
from worker.replay.sandbox import group
from worker.replay.sandbox.group import Unavailable

NAME: Final = "cgroup-v1"
WANTED: Final = ("cpu", "cpuacct", "memory", "pids", "freezer")
LOW_SHARES: Final = 64


class VersionOne:
    """The groups of one trial. Controllers that are not to be had are left out, and told in `missing`."""

    name = NAME

    def __init__(self, own: Mapping[str, Path], name: str) -> None:
        self._folders: dict[str, Path] = {}
        self.missing: dict[str, str] = {}
        for controller in WANTED:
            if controller not in own:
                self.missing[controller] = f"no {controller} controller of version 1 is mounted"
                continue
            folder = own[controller] / name
            try:
                folder.mkdir(exist_ok=True)  # two controllers may share one hierarchy
            except OSError as error:
                self.missing[controller] = f"{folder.parent} is not ours to make a group in: {error.strerror}"
            else:
                self._folders[controller] = folder
        if not self._folders:
            raise Unavailable("; ".join(dict.fromkeys(self.missing.values())))

    @property
    def controllers(self) -> frozenset[str]:
        return frozenset(self._folders)

    @property
    def joins(self) -> tuple[Path, ...]:
        """Files that a process writes "0" to, to be in the groups with all that it will bring forth."""
        return tuple(dict.fromkeys(folder / "cgroup.procs" for folder in self._folders.values()))

    def limit_cpus(self, limits: Limits) -> None:
        folder = self._folders["cpu"]
        if limits.cpus is not None:
            group.write(folder, "cpu.cfs_period_us", limits.period_us)
            group.write(folder, "cpu.cfs_quota_us", max(1000, round(limits.cpus * limits.period_us)))
        if limits.low_weight:
            group.write(folder, "cpu.shares", LOW_SHARES)

    def limit_memory(self, most_bytes: int) -> None:
        """Swap is no way out: where it is counted, memory and swap together have the same limit."""
        folder = self._folders["memory"]
        group.write(folder, "memory.limit_in_bytes", most_bytes)
        with suppress(Unavailable):
            group.write(folder, "memory.memsw.limit_in_bytes", most_bytes)

    def limit_processes(self, most: int) -> None:
        group.write(self._folders["pids"], "pids.max", most)

    def usage(self) -> Usage:
        usage = Usage()
        if "cpuacct" in self._folders:
            usage = replace(usage, cpu_ns=group.number(self._folders["cpuacct"], "cpuacct.usage"))
        if "cpu" in self._folders:
            stat = group.fields(self._folders["cpu"], "cpu.stat")
            usage = replace(
                usage,
                periods=stat.get("nr_periods"),
                throttled_periods=stat.get("nr_throttled"),
                throttled_ns=stat.get("throttled_time"),
            )
        if "memory" in self._folders:
            folder = self._folders["memory"]
            usage = replace(
                usage,
                memory_peak_bytes=group.number(folder, "memory.max_usage_in_bytes"),
                oom_kills=group.fields(folder, "memory.oom_control").get("oom_kill"),
            )
        return usage

    def members(self) -> list[int]:
        return list(dict.fromkeys(pid for folder in self._folders.values() for pid in group.members(folder)))

    def freeze(self) -> bool:
        return self._freezer("FROZEN")

    def thaw(self) -> None:
        self._freezer("THAWED")

    def remove(self) -> int:
        """Groups that could not be removed."""
        self.thaw()
        return sum(group.remove(folder) > 0 for folder in dict.fromkeys(self._folders.values()))

    def _freezer(self, state: str) -> bool:
        with suppress(Unavailable, KeyError):
            group.write(self._folders["freezer"], "freezer.state", state)
            return True
        return False
