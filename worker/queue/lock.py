"""A lock that its holder's death releases: one worker for each data folder, one migration at a time."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.domain.errors import Conflict

_LOOK_AGAIN_S = 0.1


@contextmanager
def exclusive(path: Path, *, subject: str, wait_s: float = 0) -> Iterator[None]:
    """Hold the file's lock; it belongs to this process, not to its children, and needs no clean-up.

    Raises Conflict if another process holds it for longer than `wait_s`. The file stays and names the
    last holder. Network file systems may ignore the lock: the data folder belongs on a local disk.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="ascii", errors="replace") as file:
        _acquire(file.fileno(), path, subject=subject, wait_s=wait_s)
        file.seek(0)
        file.truncate()
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _acquire(descriptor: int, path: Path, *, subject: str, wait_s: float) -> None:
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Conflict(subject, f"process {_holder(path)} holds {path}") from None
            time.sleep(_LOOK_AGAIN_S)
        else:
            return


def _holder(path: Path) -> str:
    return path.read_text(encoding="ascii", errors="replace").strip()[:20] or "unknown"
