"""Runs pytest in a session of its own, reaps its whole tree, names what outlives it, and ends the rest."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import time
from contextlib import suppress

from . import asking, family, kernel, leavings
from .channel import Channel

LEAVING_S = 0.5
"""What a process that noticed its parent's end (a resource tracker, a forkserver) gets to leave by itself."""
KILLING_S = 5.0
MOST_SURVIVORS = 64


class Supervisor:
    """One tree, from start to end. `run` returns once nothing of it is left, or nothing more can be done."""

    def __init__(self, channel: Channel, order: dict[str, object]) -> None:
        self._channel = channel
        self._order = order
        self._journal = str(order.get("journal") or "")
        self._places = _folders(order.get("places"))
        self._before: dict[str, set[str]] = {}
        self._main: int | None = None
        self._is_ending = False
        self._children_end, self._noticed = socket.socketpair()
        self._noticed.settimeout(0)
        self._children_end.settimeout(0)

    def run(self) -> None:
        kernel.adopt_orphans()
        kernel.shut_out_the_tree()
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._noticed.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, lambda *_: self._end())
        try:
            self._start()
        except (OSError, ValueError, TypeError) as error:
            self._channel.say("not-started", why=str(error)[:400])
            return
        self._follow()
        self._name_survivors()
        self._kill_all()
        self._channel.say("ended", t=time.monotonic_ns())

    def _start(self) -> None:
        self._before = {place: leavings.listed(folder) for place, folder in self._places.items()}
        argv, env = self._order["argv"], self._order["env"]
        assert isinstance(argv, list)
        assert isinstance(env, dict)
        child = subprocess.Popen(  # noqa: S603 - the order is the engine's own
            argv,
            env=env,
            cwd=str(self._order["cwd"]),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_begin_as_in_a_terminal,  # noqa: PLW1509 - we have no threads
        )
        self._main = child.pid
        child.returncode = 0  # reaped by us, with all the others
        self._channel.say("began", pid=child.pid, supervisor=os.getpid(), t=time.monotonic_ns())
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)

    def _follow(self) -> None:
        """Until pytest's own process has ended, or the engine wants an end, or is gone."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._channel, selectors.EVENT_READ)
            selector.register(self._children_end, selectors.EVENT_READ)
            while self._main is not None and not self._is_ending:
                for key, _ in selector.select():
                    if key.fileobj is self._channel:
                        self._obey(self._channel.receive())
                    else:
                        self._children_end.recv(4096)
                self._reap()

    def _obey(self, command: dict[str, object] | None) -> None:
        if command is None or command.get("do") == "end":
            self._end()
            return
        pids = [member.pid for member in family.descendants(os.getpid()) if member.state != "Z"]
        if command.get("do") == "ask":
            stacks = asking.ask_for_stacks(pids)
            records = asking.ask_for_records(self._journal, pids) if self._journal else []
            self._channel.say("asked", stacks=stacks, records=records, t=time.monotonic_ns())

    def _end(self) -> None:
        self._is_ending = True

    def _reap(self) -> None:
        while True:
            try:
                pid, status, _ = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._channel.say("exit", pid=pid, status=status, t=time.monotonic_ns())
            if pid == self._main:
                self._main = None

    def _name_survivors(self) -> None:
        """Of a tree whose main process is gone: those that do not leave by themselves."""
        if self._is_ending:
            return
        until = time.monotonic() + LEAVING_S
        while self._living() and time.monotonic() < until:
            self._wait(until - time.monotonic())
        self._name_files()
        self._channel.say("killing")
        for member in self._living()[:MOST_SURVIVORS]:
            self._channel.say(
                "survivor",
                pid=member.pid,
                argv=family.arguments(member.pid),
                state=member.state,
                ports=family.listening_ports(member.pid),
            )

    def _name_files(self) -> None:
        for place, folder in self._places.items():
            names = leavings.listed(folder) - self._before[place]
            self._channel.say("left", place=place, names=leavings.told(names))

    def _kill_all(self) -> None:
        """Stop all first, so that none can fork away from the list, then kill; again until none is left."""
        until = time.monotonic() + KILLING_S
        while time.monotonic() < until:
            living = self._living()
            if not living:
                break
            for number in (signal.SIGSTOP, signal.SIGKILL):
                for member in living:
                    with suppress(OSError):
                        os.kill(member.pid, number)
            self._wait(0.02)
        self._reap()

    def _living(self) -> list[family.Member]:
        self._reap()
        return [member for member in family.descendants(os.getpid()) if member.state not in "ZX"]

    def _wait(self, at_most_s: float) -> None:
        """For the end of a child, or that long."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._children_end, selectors.EVENT_READ)
            if selector.select(max(0.0, at_most_s)):
                with suppress(BlockingIOError):
                    self._children_end.recv(4096)


def _folders(told: object) -> dict[str, str]:
    return {str(place): str(folder) for place, folder in told.items()} if isinstance(told, dict) else {}


def _begin_as_in_a_terminal() -> None:
    """For the child before it execs: what is run in the background ignores SIGINT, and would hand that on."""
    kernel.die_with_parent()
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
