"""Asking stuck processes of the tree what they are at, without a thread in any of them that could answer.

Stacks come by a spare real-time signal that the probe has pointed at faulthandler, which works while the
process is blocked in native code. Everything else comes by a FIFO that a thread of the probe waits at.
"""

from __future__ import annotations

import os
import signal
import stat
from contextlib import suppress

from . import family

STACKS_SIGNAL = signal.SIGRTMIN + 5
REQUEST = b"dump\n"


def ask_for_stacks(pids: list[int]) -> list[int]:
    """Signal those that have a handler for it, and no other; return whom."""
    asked = []
    for pid in pids:
        if family.catches(pid, STACKS_SIGNAL):
            with suppress(OSError):
                os.kill(pid, STACKS_SIGNAL)
                asked.append(pid)
    return asked


def ask_for_records(journal: str, pids: list[int]) -> list[int]:
    """Write one request into the FIFO of each that waits at one; return whom."""
    asked = []
    for pid in pids:
        with suppress(OSError):
            opened = os.open(os.path.join(journal, f"{pid}.ask"), os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
            try:
                if stat.S_ISFIFO(os.fstat(opened).st_mode):
                    os.write(opened, REQUEST)
                    asked.append(pid)
            finally:
                os.close(opened)
    return asked
