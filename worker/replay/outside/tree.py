"""The process tree of one trial as it grows and dies, each change written down at once.

Its numbers are the engine's; what is told to others are those inside the trial's own namespace.
"""

import threading
from collections import deque
from pathlib import Path
from typing import Final, NamedTuple

from worker.replay.outside import processes
from worker.replay.outside_events import Event, Executed, Forked, Left, Signalled, to_line

MOST_PROCESSES: Final = 20_000
"""Of one trial, dead ones too; what a bomb forks beyond them is counted, not written down."""


class Living(NamedTuple):
    host: int
    pid: int  # inside
    depth: int
    parent: int  # inside; 0 for the tree's root
    argv: tuple[str, ...]
    is_python: bool
    has_execed: bool


class Tree:
    """Written by the observer's thread, read by others."""

    def __init__(self, record: Path) -> None:
        self._lock = threading.Lock()
        self._living: dict[int, Living] = {}
        self._ended: dict[int, Left] = {}
        self._activity: dict[int, tuple[str, bool | None]] = {}
        self._ticks: dict[int, int] = {}
        self._gone: deque[int] = deque(maxlen=64)  # a signal may be told after the end that it made
        self._seen = 0
        self._record = record.open("w", encoding="utf-8", buffering=1)
        self.unnamed = 0  # gone before their number inside could be read
        self.unwritten = 0

    def __contains__(self, host: int) -> bool:
        return host in self._living

    def hosts(self) -> list[int]:
        with self._lock:
            return list(self._living)

    def living(self) -> list[Living]:
        with self._lock:
            return list(self._living.values())

    def ended(self) -> dict[int, Left]:
        """By number inside: how those ended that have."""
        with self._lock:
            return dict(self._ended)

    def fork(self, t: int, host: int, host_parent: int) -> None:
        self._seen += 1
        if self._seen > MOST_PROCESSES:
            self.unwritten += 1
            return
        parent = self._living.get(host_parent)
        found = processes.numbers(host)
        if found is None:
            self.unnamed += 1
        argv = parent.argv if parent else processes.arguments(host)
        is_python = parent.is_python if parent else processes.is_python(host, argv)
        inside, depth = found or (-host, 0)
        with self._lock:
            self._living[host] = Living(
                host, inside, depth, parent.pid if parent else 0, argv, is_python, has_execed=False
            )
        self._write(
            Forked(
                t,
                host,
                host_parent,
                found.inside if found else None,
                depth,
                () if parent else argv,
                is_python,
            )
        )

    def execute(self, t: int, host: int) -> None:
        known = self._living.get(host)
        argv = processes.arguments(host)
        if known is None or (not argv and known.argv):
            return
        is_python = processes.is_python(host, argv)
        rank, world = processes.rank_and_world(host)
        with self._lock:
            self._living[host] = known._replace(argv=argv, is_python=is_python, has_execed=True)
        self._write(Executed(t, host, argv, is_python, rank, world))

    def leave(self, t: int, host: int, status: int | None, source: str) -> None:
        left = Left(t, host, status, source)
        with self._lock:
            known = self._living.pop(host, None)
            if known is None:
                return
            self._gone.append(host)
            if known.pid > 0:
                self._ended[known.pid] = left
        self._write(left)

    def signal(self, t: int, sender: int, target: int, number: int) -> None:
        """Threads are named by their process. A signal to what is no part of the tree is not ours to tell."""
        ends = [one if one in self._living else processes.leader_of(one) or one for one in (sender, target)]
        if ends[1] in self._living or ends[1] in self._gone:
            state, grew = self._activity.get(ends[1], (None, None))
            self._write(Signalled(t, ends[0], ends[1], number, state, grew))

    def look_at_activity(self) -> None:
        """To be called a few times a second: tells the slow from the stuck, should a signal end one."""
        for host in self.hosts():
            found = processes.activity(host)
            if found is not None and found[0] not in "ZX":
                state, ticks = found
                before = self._ticks.get(host)
                self._ticks[host] = ticks
                self._activity[host] = (state, None if before is None else ticks > before)

    def close(self) -> None:
        with self._lock:
            self._record.close()

    def _write(self, event: Event) -> None:
        with self._lock:
            if not self._record.closed:
                self._record.write(to_line(event))
