"""The folder of one trial's tools, and the end of those that killed engines left behind."""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "flake-triage-tools-"


@contextmanager
def tools_folder(place: Path) -> Iterator[Path]:
    """A folder that every user may read. Its holder has a lock on it, which ends with the process, however
    that ends; those in `place` whose holder is dead are removed first.
    """
    sweep_tools(place)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=place) as name:
        folder = Path(name)
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            folder.chmod(0o755)  # the suspect's user is another; until now only we could look
            yield folder
        finally:
            os.close(lock)


def sweep_tools(place: Path) -> int:
    """Remove what the dead left, of our own user; return how many. One that is being made stays."""
    return sum(_remove_abandoned(folder) for folder in sorted(place.glob(f"{PREFIX}*")))


def _remove_abandoned(folder: Path) -> bool:
    with suppress(OSError):
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            found = os.fstat(lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if found.st_uid == os.geteuid() and found.st_mode & stat.S_IROTH:
                shutil.rmtree(folder)
                return True
        finally:
            os.close(lock)
    return False
