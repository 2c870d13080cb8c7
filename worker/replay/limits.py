"""What a trial may use, and how far the sandbox could hold it to that."""

from dataclasses import dataclass
from enum import StrEnum

MIB = 1024 * 1024
QUOTA_PERIOD_US = 100_000  # what containers use; longer and shorter ones reproduced less
MOST_PROCESSES = 512


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one trial; None leaves that resource as the machine has it."""

    timeout_s: float
    cpus: float | None = None  # CPU seconds per second, over the whole process tree
    memory_bytes: int | None = None
    processes: int = MOST_PROCESSES
    period_us: int = QUOTA_PERIOD_US
    ports: int | None = None  # width of the local port range, in a network namespace of its own
    low_weight: bool = False  # the tree's share when others want the CPU too: for the neighbours' arm
    output_bytes: int = 64 * MIB  # of stdout and of stderr; what comes after is dropped and counted
    disk_bytes: int = 2048 * MIB  # what the trial may write into its copy, /tmp and /dev/shm together


class Hold(StrEnum):
    """How far one limit was held."""

    ENFORCED = "enforced"  # by the kernel, for the whole tree
    APPROXIMATED = "approximated"  # by stopping and continuing, whole cores, or a bound per process
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Held:
    """What a backend made of the limits asked for. A verdict that rests on a limit repeats its hold."""

    by: str  # "cgroup-v2", "cgroup-v1", "systemd-scope", "stop-and-continue", "affinity"
    cpus: Hold
    memory: Hold
    processes: Hold
    isolation: str  # "bubblewrap", "unshare" or "none"
    notes: tuple[str, ...] = ()  # one sentence each: what is approximated or absent, and why


@dataclass(frozen=True, slots=True)
class Usage:
    """What the tree used, from the limits' own counters; None where no counter could be read."""

    cpu_ns: int | None = None
    periods: int | None = None
    throttled_periods: int | None = None
    throttled_ns: int | None = None
    memory_peak_bytes: int | None = None
    oom_kills: int | None = None
