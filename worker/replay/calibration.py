"""How fast this machine is: CPU seconds of a fixed loop, stored with each replay.

Speed has been seen to move by 2x with the neighbours' load, so that a limit in CPU seconds is comparable
between two machines only beside this figure.
"""

import os
import time
from dataclasses import dataclass

_LOOPS = 1_000_000
_TAKES = 3
_BUSY = 1.5
"""Runnable processes for each CPU; the ranks of a replay that has just ended make about one."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """`cpu_s` of `loops` rounds of an empty Python loop, the best of a few takes; `cpus` that we may use.

    `load` is the machine's load average of the last minute, before any trial of this replay.
    """

    loops: int
    cpu_s: float
    wall_s: float
    cpus: int
    load: float = 0.0

    @property
    def is_busy(self) -> bool:
        return is_busy(self.load, self.cpus)


def is_busy(load: float, cpus: int) -> bool:
    """Others want more CPU than there is, so that plain trials are starved as well."""
    return load > _BUSY * cpus


def calibrate() -> Calibration:
    """Measure now; takes about a tenth of a second."""
    takes = [_take() for _ in range(_TAKES)]
    return Calibration(
        loops=_LOOPS,
        cpu_s=min(cpu for cpu, _ in takes),
        wall_s=min(wall for _, wall in takes),
        cpus=_cpus(),
        load=round(os.getloadavg()[0], 2),
    )


def _take() -> tuple[float, float]:
    cpu, wall = time.thread_time(), time.perf_counter()
    for _ in range(_LOOPS):
        pass
    return time.thread_time() - cpu, time.perf_counter() - wall


def _cpus() -> int:
    return len(os.sched_getaffinity(0))
