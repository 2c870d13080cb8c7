"""The three SQLite files, copied while others write to them."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from app.domain.errors import Rejected
from worker.backup.durable import copy_private, create_private, to_disk

IN_ORDER = ("engine.db", "app.db", "inbox.db")
"""Each copy is older than the next one, so nothing is in it that the next has never heard of; what the next
has and it has not is asked for again when a worker starts."""


def copy(data_dir: Path, folder: Path) -> list[str]:
    """Copy what is there; return the names. Readers and writers go on: each copy is of one moment.

    In one step, since a copy in several begins anew with every write of another process.
    """
    names = [name for name in IN_ORDER if (data_dir / name).exists()]
    if not names:
        raise Rejected("backup", f"{data_dir} holds no database")
    for name in names:
        try:
            _copy(data_dir / name, folder / name)
        except sqlite3.Error as error:
            raise Rejected("backup", f"{data_dir / name} cannot be copied: {error}") from None
    return names


def _copy(source: Path, target: Path) -> None:
    os.close(create_private(target))
    with closing(sqlite3.connect(source)) as original, closing(sqlite3.connect(target)) as copied:
        original.backup(copied)
        # Otherwise it needs two more files beside it as soon as somebody looks into it.
        copied.execute("PRAGMA journal_mode=DELETE")
        (found,) = copied.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise Rejected("backup", f"{source} is damaged: {found}")


def put(folder: Path, data_dir: Path, names: list[str]) -> None:
    """Put copies where the service looks for them. Raises Rejected where there are databases already."""
    data_dir.mkdir(parents=True, exist_ok=True)
    there = [name for name in IN_ORDER if (data_dir / name).exists()]
    if there:
        raise Rejected("restore", f"{data_dir} holds {', '.join(there)}; stop the service and move them away")
    for name in IN_ORDER:
        # Of a file that is gone, and would be taken for this one's; and of a restoring that was cut off.
        for rest in (f"{name}-wal", f"{name}-shm", f"{name}.restoring"):
            (data_dir / rest).unlink(missing_ok=True)
    parts = {name: data_dir / f"{name}.restoring" for name in IN_ORDER if name in names}
    try:
        for name, part in parts.items():
            copy_private(folder / name, part)
        for name, part in parts.items():
            part.rename(data_dir / name)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
    to_disk(data_dir)
