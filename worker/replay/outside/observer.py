"""Follows one trial's tree in a thread of the engine, outside the tree's limits: by the kernel's events where
they can be had, else by looking at /proc and waiting at a descriptor of each process.
"""

import os
import select
import socket
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from worker.replay.outside import processes
from worker.replay.outside.connector import Connector, Happening
from worker.replay.outside.pidfd import exit_status
from worker.replay.outside.signal_trace import SignalTrace
from worker.replay.outside.tree import Tree

LOOK_EVERY_S: Final = 0.02
YOUNG_S: Final = 0.3
"""So long after it was first seen, a process may still become another program without our being told."""
MOST_EARLY: Final = 200_000


class Observer:
    """Start it before the tree, tell it the tree's root, stop it after the end. `source` says who sees."""

    def __init__(self, record: Path, *, with_connector: bool = True) -> None:
        self.tree = Tree(record)
        self._connector = _connect() if with_connector else None
        self._trace = _trace() if with_connector else None
        self._orders, self._ours = socket.socketpair()
        self._thread = threading.Thread(
            target=self._by_events if self._connector else self._by_looking, name="observer", daemon=True
        )

    @property
    def source(self) -> str:
        return "proc-connector" if self._connector else "pidfd"

    @property
    def lost(self) -> int:
        """How often the kernel dropped events because we were too slow."""
        return self._connector.lost if self._connector else 0

    def start(self) -> None:
        self._thread.start()

    def follow(self, root: int) -> None:
        self._ours.send(root.to_bytes(8, "little"))

    def stop(self) -> None:
        """Take what is still to be told, then end. Idempotent."""
        if self._thread.is_alive():
            with suppress(OSError):
                self._ours.shutdown(socket.SHUT_WR)
            self._thread.join()
        self._ours.close()
        self._orders.close()
        if self._connector:
            self._connector.close()
        if self._trace:
            self._trace.close()
        self.tree.close()

    def _by_events(self) -> None:
        assert self._connector is not None
        early: list[Happening] | None = []
        poller = select.poll()
        poller.register(self._orders, select.POLLIN)
        poller.register(self._connector, select.POLLIN)
        if self._trace is not None:
            poller.register(self._trace, select.POLLIN)
        while True:
            ready = {number for number, _ in poller.poll()}
            if self._connector.fileno() in ready:
                happenings = self._connector.receive()
                if early is None:
                    self._take(happenings)
                elif len(early) < MOST_EARLY:
                    early += happenings
            if self._trace is not None and self._trace.fileno() in ready:
                for made in self._trace.receive():
                    self.tree.signal(*made)
            if self._orders.fileno() in ready:
                root = self._orders.recv(8)
                if not root:
                    return
                host = int.from_bytes(root, "little")
                started = next((one.t for one in early or () if one.what == "fork" and one.pid == host), None)
                self.tree.fork(started or time.monotonic_ns(), host, os.getpid())
                self._take(one for one in early or () if not (one.what == "fork" and one.pid == host))
                early = None

    def _take(self, happenings: Iterable[Happening]) -> None:
        for t, what, pid, other in happenings:
            if what == "fork":
                if other in self.tree:
                    self.tree.fork(t, pid, other)
            elif pid not in self.tree:
                continue
            elif what == "exec":
                self.tree.execute(t, pid)
            else:
                self.tree.leave(t, pid, other, self.source)

    def _by_looking(self) -> None:
        _Looker(self.tree, self._orders).run()


class _Looker:
    """Finds new children every 20 ms, and waits at a descriptor of each process for its end."""

    def __init__(self, tree: Tree, orders: socket.socket) -> None:
        self._tree = tree
        self._orders = orders
        self._poller = select.poll()
        self._poller.register(orders, select.POLLIN)
        self._hosts: dict[int, int] = {}  # descriptor -> process
        self._descriptors: dict[int, int] = {}
        self._young: dict[int, tuple[float, tuple[str, ...]]] = {}
        self._dead: dict[int, tuple[int, int | None]] = {}  # ended at, and the zombie's own status

    def run(self) -> None:
        try:
            while self._wait():
                self._look()
        finally:
            for descriptor in self._hosts:
                os.close(descriptor)

    def _wait(self) -> bool:
        timeout = LOOK_EVERY_S * 1000 if self._hosts else None
        for descriptor, events in self._poller.poll(timeout):
            if descriptor == self._orders.fileno():
                root = self._orders.recv(8)
                if not root:
                    return False
                self._add(int.from_bytes(root, "little"), os.getpid())
            else:
                self._notice_end(descriptor, events)
        return True

    def _look(self) -> None:
        for host in self._tree.hosts():
            for child in processes.children(host):
                if child not in self._descriptors:
                    self._add(child, host)
        for host, (since, argv) in list(self._young.items()):
            now = processes.arguments(host)
            if now and now != argv:
                self._tree.execute(time.monotonic_ns(), host)
                self._young[host] = (since, now)
            if time.monotonic() - since > YOUNG_S:
                del self._young[host]

    def _add(self, host: int, parent: int) -> None:
        with suppress(OSError):
            descriptor = os.pidfd_open(host)
            self._hosts[descriptor] = host
            self._descriptors[host] = descriptor
            self._poller.register(descriptor, select.POLLIN)
            self._young[host] = (time.monotonic(), processes.arguments(parent))
            self._tree.fork(time.monotonic_ns(), host, parent)

    def _notice_end(self, descriptor: int, events: int) -> None:
        """First the end itself (readable), later the reaping (hung up), from when on the kernel tells how."""
        host = self._hosts[descriptor]
        if host not in self._dead:
            self._dead[host] = (time.monotonic_ns(), processes.status_of_dead(host))
            self._poller.modify(descriptor, 0)
        if not events & select.POLLHUP:
            return
        t, seen = self._dead.pop(host)
        status = exit_status(descriptor)
        self._tree.leave(t, host, seen if status is None else status, "proc" if status is None else "pidfd")
        self._poller.unregister(descriptor)
        del self._hosts[descriptor], self._descriptors[host]
        self._young.pop(host, None)
        os.close(descriptor)


def _trace() -> SignalTrace | None:
    with suppress(OSError):
        return SignalTrace()
    return None


def _connect() -> Connector | None:
    with suppress(OSError):
        return Connector()
    return None
