"""How fast this machine is: CPU seconds of a fixed loop, stored with each replay.

Speed has been seen to move by 2x with the neighbours' load, so that a limit in CPU seconds is comparable
between two machines only beside this figure.
"""

import os
import time
from dataclasses import dataclass

_LOOPS = 1_000_000
_TAKES = 3


@dataclass(frozen=True, slots=True)
class Calibration:
    """`cpu_s` of `loops` rounds of an empty Python loop, the best of a few takes; `cpus` that we may use."""

    loops: int
    cpu_s: float
    wall_s: float
    cpus: int


def calibrate() -> Calibration:
    """Measure now; takes about a tenth of a second."""
    takes = [_take() for _ in range(_TAKES)]
    return Calibration(_LOOPS, min(cpu for cpu, _ in takes), min(wall for _, wall in takes), _cpus())


def _take() -> tuple[float, float]:
    cpu, wall = time.thread_time(), time.perf_counter()
    for _ in range(_LOOPS):
        pass
    return time.thread_time() - cpu, time.perf_counter() - wall


def _cpus() -> int:
    return len(os.sched_getaffinity(0))
