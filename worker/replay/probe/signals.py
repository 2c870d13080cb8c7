"""Notes each signal that this process sends: to whom, from where, and how the target was at that moment.

"Running, and its CPU time grows" is slow; "asleep, its threads in lock acquisition" is stuck. So before a
signal that may end a probed process is passed on, that process is looked at and asked for its stacks.
"""

from __future__ import annotations

import os
import sys
import time

from . import exceptions, journal, sites, stacks, wrapping

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

_ENDING = {1, 2, 3, 6, 9, 15}  # SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGKILL, SIGTERM
_LOOKS, _LOOK_S = 6, 0.008
_GREW_NS = 500_000  # CPU time between two looks above which a process runs
_ANSWERED_WITHIN_S = 0.4  # a few milliseconds, but for a process that is given no CPU
_MOST_TASKS = 64
_HOW = {"terminate", "kill", "send_signal"}

_sleep, _now = time.sleep, time.monotonic


def begin() -> None:
    wrapping.around(os, "kill", _around_kill)
    wrapping.around(os, "killpg", _around_kill)
    wrapping.around(os, "abort", _around_abort)


# What these wrappers call is bound to them: objects that are torn down last call them when the interpreter
# has emptied this module, and the signal must be sent all the same.
def _around_kill(original: wrapping.Function) -> wrapping.Function:
    note = _note_signal

    def kill(pid: int, sig: int) -> Any:  # noqa: ANN401 -- as the function
        __tracebackhide__ = True
        if sig:
            note(original, pid, int(sig))
        return original(pid, sig)

    return kill


def _around_abort(original: wrapping.Function) -> wrapping.Function:
    note = _note_abort

    def abort() -> Any:  # noqa: ANN401 -- never returns
        note()
        return original()

    return abort


@wrapping.quietly
def _note_abort() -> None:
    exceptions.look()
    journal.note("signal", target=os.getpid(), signal=6, how="os.abort", site=sites.nearest_site())


@wrapping.quietly
def _note_signal(kill: wrapping.Function, target: int, signal: int) -> None:
    exceptions.look()
    fields: dict[str, journal.Value] = {"how": _how(), "site": sites.nearest_site()}
    if signal in _ENDING and target > 1 and target != os.getpid():
        state, grew = _looked_at(target)
        fields.update(state=state, grew=grew)
        if state not in {None, "Z", "X"}:
            fields["stacks"] = _asked_for_stacks(kill, target)
    journal.note("signal", target=target, signal=signal, **fields)


def _how() -> str:
    """The method of Process or Popen that the suspect called, or `os.kill`."""
    frame: FrameType | None = sys._getframe(4)  # noqa: SLF001 -- as in sites
    how = "os.kill"
    for _ in range(4):
        module = str(frame.f_globals.get("__name__")) if frame is not None else ""
        if frame is None or not module.startswith(("multiprocessing.", "subprocess")):
            break
        if frame.f_code.co_name in _HOW:
            how = frame.f_code.co_name
        frame = frame.f_back
    return how


def _looked_at(target: int) -> tuple[str | None, bool | None]:
    """State, and whether CPU time grew; unknown of one that wanted a CPU and was given none meanwhile."""
    state, before = _state(target), _cpu_ns(target)
    if state is None or before is None:
        return state, None
    for _ in range(_LOOKS):
        _sleep(_LOOK_S)
        after, now = _cpu_ns(target), _state(target)
        if after is not None and after - before > _GREW_NS:
            return "R", True
        if now != "R":
            return now or state, False
    return "R", None


def _state(target: int) -> str | None:
    """`R` if any thread runs or wants to, else the main thread's state."""
    states = [_field(one, 0) for one in _tasks(target)]
    if not states:
        return _field("/proc/%d" % target, 0)
    return "R" if "R" in states else states[0]


def _field(folder: str, number: int) -> str | None:
    """A field of `stat` after the name, which may hold spaces and brackets."""
    try:
        with open(folder + "/stat", "rb") as file:
            return file.read(1024).rpartition(b")")[2].split()[number].decode("ascii", "replace")
    except (OSError, IndexError):
        return None


def _cpu_ns(target: int) -> int | None:
    """CPU time of all threads, by the scheduler's own nanoseconds: `stat` counts in hundredths."""
    total, seen = 0, False
    for folder in _tasks(target):
        try:
            with open(folder + "/schedstat", "rb") as file:
                total, seen = total + int(file.read(128).split()[0]), True
        except (OSError, IndexError, ValueError):
            continue
    return total if seen else None


def _tasks(target: int) -> list[str]:
    folder = "/proc/%d/task" % target
    try:
        return ["%s/%s" % (folder, one) for one in sorted(os.listdir(folder), key=int)[:_MOST_TASKS]]
    except (OSError, ValueError):
        return []


def _asked_for_stacks(kill: wrapping.Function, target: int) -> list[int] | None:
    """Where in the target's file of stacks its answer stands; None where it would not have answered."""
    file = journal.path(stacks.SUFFIX, target)
    begin = _size(file)
    if begin is None or not catches(target, stacks.ASK):
        return None  # unprobed, or it executed another program since: the signal would end it
    kill(target, stacks.ASK)
    until, size = _now() + _ANSWERED_WITHIN_S, begin
    while _now() < until:
        _sleep(0.002)
        grown = _size(file) or begin
        if grown == size > begin:
            break
        size = grown
    return [begin, size]


def _size(file: str) -> int | None:
    try:
        return os.stat(file).st_size
    except OSError:
        return None


def catches(target: int, signal: int) -> bool:
    """Whether that process has a handler for the signal."""
    try:
        with open("/proc/%d/status" % target, "rb") as file:
            lines = file.read(8192).split(b"\n")
    except OSError:
        return False
    mask = next((int(one.split()[1], 16) for one in lines if one.startswith(b"SigCgt:")), 0)
    return bool(mask >> (signal - 1) & 1)
