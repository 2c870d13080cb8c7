"""Who sends signals to whom: the kernel's own trace event, read from a tracefs that is mounted nowhere.

Root's only, outside of namespaces. The instance of the trace is ours alone and goes with us; one that a
killed engine left is removed by the next.
"""

import ctypes
import itertools
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_FSOPEN, _FSCONFIG, _FSMOUNT = 430, 431, 432  # the same numbers on every architecture
_CLOEXEC: Final = 1
_CREATE: Final = 6
_EVENT: Final = "events/signal/signal_generate"
_FILTER: Final = "code <= 0 && sig < 32 && sig != 17 && sig != 18 && sig != 19"
"""Sent by a process, and neither a child's end nor a stop: stops are what our own arms send, often."""
_SETTINGS: Final = (("trace_clock", "mono"), ("buffer_size_kb", "64"), ("buffer_percent", "0"))
_LINE: Final = re.compile(
    r".{1,40}-([0-9]{1,10}) +(?:\([^)]{0,12}\) +)?\[[0-9]{1,6}\] [^ ]{1,12} +([0-9]{1,12})\.([0-9]{6}): "
    r"signal_generate: sig=([0-9]{1,3}) errno=-?[0-9]{1,6} code=(-?[0-9]{1,10}) comm=.{0,16}"
    r" pid=([0-9]{1,10}) grp=[01] res=([0-9])"
)
_BY_A_CALL: Final = frozenset({0, -1, -6})  # kill, sigqueue, tgkill
_READ_BYTES: Final = 64 << 10
_NAME: Final = re.compile(r"flake-triage\.([0-9]{1,10})\.([0-9]{1,20})\.[0-9]{1,10}")
_serial = itertools.count(1)


class SignalMade(NamedTuple):
    """Numbers are of threads, as the engine's namespace counts them."""

    t: int
    sender: int
    target: int
    signal: int


class SignalTrace:
    """OSError where tracing cannot be had."""

    def __init__(self) -> None:
        self._root = _detached_tracefs()
        owner = f"{os.getpid()}.{_started_at(os.getpid())}"
        self._name = f"instances/flake-triage.{owner}.{next(_serial)}"
        self._pipe = -1
        self._rest = ""
        try:
            self._sweep()
            os.mkdir(self._name, dir_fd=self._root)
            for name, value in (
                *_SETTINGS,
                (f"{_EVENT}/filter", _FILTER),
                (f"{_EVENT}/enable", "1"),
            ):
                self._write(name, value)
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
            self._pipe = os.open(f"{self._name}/trace_pipe", flags, dir_fd=self._root)
        except OSError:
            self.close()
            raise

    def fileno(self) -> int:
        return self._pipe

    def receive(self) -> list[SignalMade]:
        """What there is, without waiting."""
        with suppress(BlockingIOError, InterruptedError):
            self._rest += os.read(self._pipe, _READ_BYTES).decode("utf-8", "replace")
        *lines, self._rest = self._rest.split("\n")
        return [made for line in lines if (made := parse(line)) is not None]

    def close(self) -> None:
        """Idempotent; nothing of it is left."""
        if self._root < 0:
            return
        if self._pipe >= 0:
            os.close(self._pipe)
        with suppress(OSError):
            self._write(f"{_EVENT}/enable", "0")
        with suppress(OSError):
            os.rmdir(self._name, dir_fd=self._root)
        os.close(self._root)
        self._root = self._pipe = -1

    def _write(self, name: str, value: str) -> None:
        opened = os.open(f"{self._name}/{name}", os.O_WRONLY | os.O_CLOEXEC, dir_fd=self._root)
        try:
            os.write(opened, value.encode())
        finally:
            os.close(opened)

    def _sweep(self) -> None:
        folder = os.open("instances", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._root)
        try:
            for name in os.listdir(folder):  # noqa: PTH208 - a descriptor
                owner = _NAME.fullmatch(name)
                if owner is not None and _started_at(int(owner[1])) != owner[2]:
                    with suppress(OSError):
                        os.rmdir(name, dir_fd=folder)
        finally:
            os.close(folder)


def parse(line: str) -> SignalMade | None:
    """None for what no process asked for, and for a signal that was not delivered."""
    found = _LINE.fullmatch(line.strip())
    if found is None or int(found[5]) not in _BY_A_CALL or found[7] != "0":
        return None
    t = int(found[2]) * 1_000_000_000 + int(found[3]) * 1000
    return SignalMade(t, int(found[1]), int(found[6]), int(found[4]))


def _started_at(pid: int) -> str | None:
    """By the kernel's clock ticks: a number that is used again has another."""
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    return None


def _detached_tracefs() -> int:
    library = ctypes.CDLL(None, use_errno=True)
    context = _call(library, _FSOPEN, b"tracefs", _CLOEXEC)
    try:
        _call(library, _FSCONFIG, context, _CREATE, None, None, 0)
        return _call(library, _FSMOUNT, context, _CLOEXEC, 0)
    finally:
        os.close(context)


def _call(library: ctypes.CDLL, number: int, *given: object) -> int:
    result = int(library.syscall(number, *given))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
