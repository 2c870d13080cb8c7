"""What processes that will be killed can still tell: each in turn shows its stacks on its standard error.

For bare trials: faulthandler, switched on by environment alone, writes all stacks on SIGABRT. Nobody else
runs meanwhile, so that no failure is made by it, and what comes after one death is that process's.
"""

import os
import select
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from worker.replay.outside.processes import error_tail
from worker.replay.outside.tree import Living

MOST_ASKED: Final = 16
ONE_S: Final = 1.0
TAIL_BYTES: Final = 64 << 10


def last_words(tree: Sequence[Living]) -> dict[int, str]:
    """By number inside. Ends the Python processes among them, the youngest first; the others stay stopped."""
    told: dict[int, str] = {}
    for one in tree:
        _signal(one, signal.SIGSTOP)
    for one in [one for one in reversed(tree) if one.is_python][:MOST_ASKED]:
        said = _last_of(one)
        if said.strip():
            told[one.pid] = said
    return told


def captured_so_far(tree: Sequence[Living]) -> str:
    """The end of every file that is the standard error of one of them; pytest's capture is such a file."""
    seen: dict[tuple[int, int], str] = {}
    for one in tree:
        with suppress(OSError):
            found = os.stat(f"/proc/{one.host}/fd/2")  # noqa: PTH116 - a magic link
            if (found.st_dev, found.st_ino) not in seen:
                tail = error_tail(one.host, TAIL_BYTES)
                seen[found.st_dev, found.st_ino] = tail.decode("utf-8", "replace")
    return "".join(seen.values())


def _last_of(one: Living) -> str:
    path = f"/proc/{one.host}/fd/2"
    with suppress(OSError):
        error = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC) if os.path.isfile(path) else -1  # noqa: PTH113 - a magic link
        ended = os.pidfd_open(one.host)
        try:
            before = os.fstat(error).st_size if error >= 0 else 0
            signal.pidfd_send_signal(ended, signal.SIGABRT)
            signal.pidfd_send_signal(ended, signal.SIGCONT)
            select.select([ended], [], [], ONE_S)
            if error < 0:
                return ""
            start = max(before, os.fstat(error).st_size - TAIL_BYTES)
            return os.pread(error, TAIL_BYTES, start).decode("utf-8", "replace")
        finally:
            os.close(ended)
            if error >= 0:
                os.close(error)
    return ""


def _signal(one: Living, number: int) -> None:
    with suppress(OSError):
        os.kill(one.host, number)
