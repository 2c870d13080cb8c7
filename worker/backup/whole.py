"""A backup of everything, and everything back from it."""

import os
import shutil
from datetime import datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from app.domain.errors import Rejected
from app.settings import Settings
from app.store import inbox
from app.store.session import open_inbox, unit_of_work
from worker.backup import label, postgres_dump, sqlite_files
from worker.backup.durable import to_disk
from worker.backup.label import Kind, Label
from worker.queue.lock import exclusive
from worker.upgrade import upgrade

OVERLAP = timedelta(days=1)
"""Deliveries from so long before the backup are handed over again: the copies are not of one moment."""


def take(settings: Settings, folder: Path, *, now: datetime) -> Label:
    """Copy all databases into a new folder. Whoever finds a `backup.json` there has a whole backup.

    Raises Rejected where the folder is there and not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Rejected("backup", f"{folder} is not empty; name a new folder")
    part = folder.parent / f".{folder.name}.{os.getpid()}"
    part.mkdir(parents=True, mode=0o700)
    try:
        if settings.on_postgres:
            names = postgres_dump.dump(settings, part)
        else:
            names = sqlite_files.copy(settings.data_dir, part)
        made = Label(_kind(settings), now, version("flake-triage"), label.digests(part, names))
        label.write(part, made)
        for name in (*names, label.NAME):
            to_disk(part / name)
        to_disk(part)
        part.rename(folder)
        to_disk(folder.parent)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return made


def bring_back(settings: Settings, folder: Path) -> Label:
    """Restore into a place without databases, and bring them to the newest schema.

    Raises Rejected where there are databases, and on PostgreSQL whatever runs there has made some; on SQLite,
    Conflict while a worker holds the folder, since its files may have been moved away under it. What was
    delivered and not done when the backup was taken is done by the next worker; what was delivered after it
    has to be delivered, or found, again.
    """
    found = label.read(folder)
    if found.kind != _kind(settings):
        raise Rejected("restore", f"the backup is of {found.kind}, and the settings name {_kind(settings)}")
    if settings.on_postgres:
        postgres_dump.load(folder, settings)
    else:
        with exclusive(settings.data_dir / "worker.queue.lock", subject="restore, while a worker runs"):
            sqlite_files.put(folder, settings.data_dir, list(found.files))
    upgrade(settings)
    engine = open_inbox(settings.inbox_database_url)
    try:
        with unit_of_work(engine) as session:
            inbox.wait_again(session, since=found.taken_at - OVERLAP)
    finally:
        engine.dispose()
    return found


def _kind(settings: Settings) -> Kind:
    return "postgresql" if settings.on_postgres else "sqlite"
