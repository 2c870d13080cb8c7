"""Answers a question while the suspect is stuck: which exceptions are handled now, in which thread, and more.

One thread, from the first `start` to `end`, blocked in a read of the FIFO `<pid>.ask`: no polling, and none
left when the interpreter exits. It is no `threading` thread, so that a test that counts those counts its own.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from _thread import allocate_lock, get_ident, get_native_id, start_new_thread

from . import exceptions, forks, journal

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SUFFIX = ".ask"
_END = b"."
_JOINED_WITHIN = 1.0  # seconds: a dump that is under way ends first
_LOOKS = 50

_answers: list[Callable[[], None]] = []
_state: dict[str, Any] = {"fd": -1, "done": None, "registered": False, "native": 0}
_sleep = time.sleep


def begin() -> None:
    forks.after(_forget)


def on_ask(answer: Callable[[], None]) -> None:
    """Called in the thread at each question, after the exceptions were noted."""
    _answers.append(answer)


def start() -> None:
    """Starts the thread, unless it runs; without a FIFO there is none, and nobody can ask."""
    if _state["fd"] >= 0 or not journal.is_open():
        return
    try:
        fifo = journal.path(SUFFIX)
        os.mkfifo(fifo, 0o666)
        fd = os.open(fifo, os.O_RDWR | os.O_CLOEXEC)  # both ways: it neither blocks here nor ends there
    except OSError as error:
        journal.trouble("asked.start", error)
        return
    done = allocate_lock()
    done.acquire()
    _state.update(fd=fd, done=done)
    if not _state["registered"]:
        _state["registered"] = True
        atexit.register(end)
    start_new_thread(_listen, (fd, done))


def end() -> None:
    """Ends the thread and waits until it is gone; without one does nothing."""
    fd, done = _state["fd"], _state["done"]
    if fd < 0:
        return
    _state.update(fd=-1, done=None)
    try:
        os.unlink(journal.path(SUFFIX))
        os.write(fd, _END)
        if done.acquire(timeout=_JOINED_WITHIN):
            _wait_until_gone(_state["native"])
        os.close(fd)
    except OSError as error:
        journal.trouble("asked.end", error)


def _forget() -> None:
    """A fork child has the descriptor and not the thread."""
    fd = _state["fd"]
    _state.update(fd=-1, done=None)
    if fd >= 0:
        os.close(fd)


def _wait_until_gone(native: int) -> None:
    """The lock is let go a moment before the kernel's thread is gone: wait for that too, briefly."""
    for _ in range(_LOOKS):
        if not os.path.exists("/proc/self/task/%d" % native):
            return
        _sleep(0.0002)


def _listen(fd: int, done: Any) -> None:  # noqa: ANN401 -- a lock, whose type has no public name
    _state["native"] = get_native_id()
    try:
        while True:
            request = os.read(fd, 64)
            if not request or _END in request:
                return
            _answer()
    except OSError as error:
        journal.trouble("asked.listen", error)
    finally:
        done.release()


def _answer() -> None:
    try:
        _note_handled()
    except Exception as error:  # noqa: BLE001 -- the next answer must still be given
        journal.trouble("asked.exceptions", error)
    for answer in _answers:
        try:
            answer()
        except Exception as error:  # noqa: BLE001 -- as above
            journal.trouble("asked." + getattr(answer, "__qualname__", "?"), error)
    journal.note("asked")


def _note_handled() -> None:
    """What each thread is handling at this moment; Python 3.9 has no way to ask that."""
    current = getattr(sys, "_current_exceptions", None)
    if current is None:
        return
    for ident, held in current().items():
        error = held[1] if isinstance(held, tuple) else held  # a tuple before 3.12
        if ident != get_ident() and error is not None:
            exceptions.note(error, exceptions.HANDLED)
