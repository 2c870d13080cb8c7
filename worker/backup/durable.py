"""Files that are on the disk, and for their owner only, before anything says that they are there."""

import os
import shutil
from pathlib import Path


def create_private(path: Path) -> int:
    """Make a new file that only its owner may read; return its open descriptor. Raises FileExistsError."""
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)


def copy_private(source: Path, target: Path) -> None:
    """Copy into a new file, and onto the disk; a copy that fails leaves none."""
    made = create_private(target)
    try:
        with os.fdopen(made, "wb") as copied, source.open("rb") as original:
            shutil.copyfileobj(original, copied)
        to_disk(target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def to_disk(path: Path) -> None:
    """Return once the file, or the folder's list of names, would outlive a loss of power."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
