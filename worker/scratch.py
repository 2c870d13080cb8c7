"""The worker's folder for temporary ones, and the end of those that killed workers left behind."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import structlog

PREFIX = "flake-triage-worker-"

log = structlog.get_logger(__name__)


@contextmanager
def own_folder() -> Iterator[Path]:
    """An empty folder in the system's temporary one; those that the dead left there are removed first.

    Its holder has a lock on the folder itself, which ends with the process, however that ends, and which
    also keeps systemd from ageing it. Any number of workers may share the place, with strangers too.
    What is still in it at the end is in use by a try that has not ended, and left to the next sweep.
    """
    place = Path(tempfile.gettempdir())
    swept = sweep(place)
    if swept:
        log.info("temporary folders of dead workers are removed", folders=swept)
    folder, lock = _locked_folder(place)
    try:
        yield folder
    finally:
        with suppress(OSError):
            folder.rmdir()
            os.close(lock)


def sweep(place: Path) -> int:
    """Remove the folders of our user that nobody holds; return how many. What cannot be looked at stays."""
    return sum(_remove_abandoned(folder) for folder in list(place.glob(f"{PREFIX}*")))


def _locked_folder(place: Path) -> tuple[Path, int]:
    """A new one whose lock we hold; a sweep that came between the two may have taken it, so try again."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        lock = _take_lock(folder)
        if lock is not None:
            return folder, lock


def _remove_abandoned(folder: Path) -> bool:
    lock = None
    with suppress(OSError):
        lock = _take_lock(folder)
    if lock is None:
        return False
    try:
        shutil.rmtree(folder, ignore_errors=True)  # follows no symbolic link
    finally:
        os.close(lock)
    return not folder.exists()


def _take_lock(folder: Path) -> int | None:
    """The open folder, locked; None if it is held, gone, or of another user. OSError if it is no folder.

    In a place that others may write to, a name says nothing: what was opened is asked whose it is.
    """
    with suppress(FileNotFoundError, BlockingIOError), ExitStack() as unless_taken:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        unless_taken.callback(os.close, opened)
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held = os.fstat(opened)
        if held.st_uid == os.geteuid() and os.path.samestat(held, os.lstat(folder)):
            unless_taken.pop_all()
            return opened
    return None
