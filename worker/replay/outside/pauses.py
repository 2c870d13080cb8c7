"""Stops and continues one random rank after another, from outside; short stops more often than long ones."""

import math
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Final

from worker.replay.facts import Pause
from worker.replay.joined.ranks import is_attendant
from worker.replay.outside.tree import Living, Tree
from worker.replay.trial import Perturbation

MOST_KEPT: Final = 20_000
IDLE_S: Final = 0.01

Rank = tuple[int, int]
"""A rank's process: its number outside, and inside."""


def running_ranks(tree: Tree, main: int | None, known: Collection[int]) -> list[Rank]:
    """Those that run now, in the order of their start: the processes that are known to have a rank, or, while
    none is known, every Python process below pytest's that has no Python child itself.
    """
    inside = _innermost(tree)
    ranks = [(one.host, one.pid) for one in inside if one.pid in known]
    if ranks or main is None:
        return ranks
    workers = [
        one
        for one in below_main(tree, main)
        if one.pid != main and one.is_python and not (one.has_execed and is_attendant(one.argv))
    ]
    parents = {one.parent for one in workers}
    return [(one.host, one.pid) for one in workers if one.pid not in parents]


def below_main(tree: Tree, main: int | None) -> list[Living]:
    """Pytest's process and what lives below it, in the order of their start."""
    below = {main}
    found = []
    for one in _innermost(tree):
        if one.pid in below or one.parent in below:
            below.add(one.pid)
            found.append(one)
    return found


def _innermost(tree: Tree) -> list[Living]:
    """Those in the trial's own namespace; the sandbox's own first processes are outside of it."""
    living = tree.living()
    deepest = max((one.depth for one in living), default=0)
    return [one for one in living if one.depth == deepest]


class Pauser:
    """A thread that pauses until stopped. Lengths, gaps and the choice of rank follow from the seed.

    `ranks` gives those that run now, in an order that is the same in every trial (that of their start).
    """

    def __init__(self, wanted: Perturbation, seed: int, ranks: Callable[[], Sequence[Rank]]) -> None:
        assert wanted.pause_ms is not None
        self._low, self._high = (math.log(max(one, 0.01) / 1000) for one in wanted.pause_ms)
        self._gaps = wanted.pause_gap_ms
        self._random = random.Random(seed)  # noqa: S311 - it is to be repeated, not to be secret
        self._ranks = ranks
        self._stop = threading.Event()
        self._pauses: list[Pause] = []
        self._thread = threading.Thread(target=self._run, name="pauses", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> tuple[Pause, ...]:
        """End it; whom it had stopped goes on. The first pauses, oldest first. Idempotent."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        return tuple(self._pauses)

    def _run(self) -> None:
        while not self._stop.is_set():
            length_s = math.exp(self._random.uniform(self._low, self._high))
            gap_s = self._random.uniform(*self._gaps) / 1000
            choice = self._random.random()
            ranks = self._ranks()
            while not ranks and not self._stop.wait(IDLE_S):
                ranks = self._ranks()
            if ranks:
                self._pause(*ranks[int(choice * len(ranks))], length_s)
            self._stop.wait(gap_s)

    def _pause(self, host: int, pid: int, length_s: float) -> None:
        try:
            descriptor = os.pidfd_open(host)  # a number that is used again is then not stopped by mistake
        except OSError:
            return
        try:
            began = time.monotonic_ns()
            signal.pidfd_send_signal(descriptor, signal.SIGSTOP)
            self._stop.wait(length_s)
        except OSError:
            return
        finally:
            with suppress(OSError):
                signal.pidfd_send_signal(descriptor, signal.SIGCONT)
            os.close(descriptor)
        if len(self._pauses) < MOST_KEPT:
            self._pauses.append(Pause(pid, began, time.monotonic_ns()))
