"""The three things that a supervisor asks of the kernel for itself, where it has them: prctl by ctypes."""

from __future__ import annotations

import ctypes
import signal
from contextlib import suppress

_SET_DEATH_SIGNAL = 1
_SET_DUMPABLE = 4
_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> bool:
    """Become the parent of every descendant whose own parent dies, so that none is lost from sight."""
    return _prctl(_SET_CHILD_SUBREAPER, 1)


def shut_out_the_tree() -> bool:
    """Keep processes of the same user from attaching to us, or opening what we hold open."""
    return _prctl(_SET_DUMPABLE, 0)


def die_with_parent() -> None:
    """For a child before it execs: be killed when the supervisor dies. Its children do not inherit it."""
    _prctl(_SET_DEATH_SIGNAL, int(signal.SIGKILL))


def _prctl(option: int, value: int) -> bool:
    with suppress(
        OSError, AttributeError
    ):  # a Python without a C library to load, a kernel without the option
        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    return False
