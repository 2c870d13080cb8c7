"""Points faulthandler at a file of our own: stacks of a process that dies, or is asked by a spare signal."""

import faulthandler
import os
from _signal import SIGRTMIN  # type: ignore[import-not-found]  # `signal` itself imports enum

from . import journal

ASK = SIGRTMIN + 5  # answered in C, so also by a process that is blocked in C++
SUFFIX = ".stacks"

_fds = [-1]


def begin() -> None:
    """Again in each fork child: pytest points faulthandler at its own stderr before the test forks."""
    fd = journal.open_file(SUFFIX)
    if fd < 0:
        return
    faulthandler.enable(file=fd, all_threads=True)
    faulthandler.register(ASK, file=fd, all_threads=True, chain=False)
    old, _fds[0] = _fds[0], fd
    if old >= 0:
        _close(old)


def _close(fd: int) -> None:
    try:
        at = os.readlink("/proc/self/fd/%d" % fd)
        if at.endswith(SUFFIX):  # a test may have closed it, and its number be another file's
            os.close(fd)
    except OSError:
        return
