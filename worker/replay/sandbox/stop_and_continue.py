"""A CPU quota without root: the whole tree is stopped once a period's share is used up, and continued with
the next period, as sparing in wakes as 5 ms steps are.
"""

import signal
import threading
import time
from typing import Final

from worker.replay.limits import Usage
from worker.replay.sandbox import family

NAME: Final = "stop-and-continue"
STEP_S: Final = 0.005


class StopAndContinue:
    """Holds the descendants of one process. Coarser than a kernel's quota: a step too much is paid back."""

    def __init__(self, cpus: float, period_us: int) -> None:
        self._period_s = period_us / 1_000_000
        self._share_ns = cpus * period_us * 1000
        self._end = threading.Event()
        self._frozen = threading.Event()
        self._thread: threading.Thread | None = None
        self._seen: dict[int, int] = {}
        self._used_ns = 0
        self._periods = 0
        self._throttled_periods = 0
        self._throttled_s = 0.0

    def started(self, root: int) -> None:
        self._thread = threading.Thread(target=self._hold, args=(root,), name="cpu-quota", daemon=True)
        self._thread.start()

    def usage(self) -> Usage:
        """Of what was seen every 5 ms: a process that was gone before is not in it."""
        return Usage(
            cpu_ns=self._used_ns,
            periods=self._periods,
            throttled_periods=self._throttled_periods,
            throttled_ns=int(self._throttled_s * 1e9),
        )

    def freeze(self) -> None:
        self._frozen.set()

    def thaw(self) -> None:
        self._frozen.clear()

    def end(self) -> None:
        """Stop holding; what is stopped is continued. Idempotent."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()

    def _hold(self, root: int) -> None:
        pids = self._look(root)
        credit = self._share_ns
        at_begin = self._used_ns
        while pids and not self._end.is_set():
            begin = time.monotonic()
            credit = min(self._share_ns, credit)
            stopped_s = 0.0
            while pids and not self._end.is_set():
                left = begin + self._period_s - time.monotonic()
                if left <= 0:
                    break
                if self._frozen.is_set() or self._used_ns - at_begin >= credit:
                    family.send(pids, signal.SIGSTOP)
                    stopped_s += left
                    self._end.wait(left)
                else:
                    self._end.wait(min(STEP_S, left))
                pids = self._look(root)
            family.send(pids, signal.SIGCONT)
            self._periods += 1
            self._throttled_periods += stopped_s > 0
            self._throttled_s += stopped_s
            credit += self._share_ns - (self._used_ns - at_begin)
            at_begin = self._used_ns
        family.send(pids, signal.SIGCONT)

    def _look(self, root: int) -> list[int]:
        pids = family.found_quickly(root)
        for pid in pids:
            now = family.cpu_ns(pid)
            self._used_ns += max(0, now - self._seen.get(pid, 0))
            self._seen[pid] = now
        return pids
