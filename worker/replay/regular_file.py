"""Reading what a suspect could write: never through a link, never a pipe, never more than was asked for."""

import os
import stat
from contextlib import suppress
from pathlib import Path


def read_bounded(path: Path, most_bytes: int) -> bytes:
    """The file's first bytes; empty where there is none, or where the name is no regular file."""
    with suppress(OSError):
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(opened, "rb") as file:
            if stat.S_ISREG(os.fstat(opened).st_mode):
                return file.read(most_bytes)
    return b""


def read_tail(path: Path, most_bytes: int) -> bytes:
    """The file's last bytes, as above."""
    with suppress(OSError):
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(opened, "rb") as file:
            found = os.fstat(opened)
            if stat.S_ISREG(found.st_mode):
                file.seek(max(0, found.st_size - most_bytes))
                return file.read(most_bytes)
    return b""


def size_below(folder: Path, enough_bytes: int) -> int:
    """Bytes of the regular files in it, counted until there are enough to know."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                found = os.lstat(Path(parent, name))
                total += found.st_size if stat.S_ISREG(found.st_mode) else 0
            if total > enough_bytes:
                return total
    return total
