"""Bring the databases up to date before a process uses them."""

from pathlib import Path

from app.domain.errors import Rejected
from app.settings import PREFIX, Settings
from worker.queue.lock import exclusive

WAIT_S = 120.0
"""Longer than any migration takes here; whoever waits longer should be told."""


def upgrade(settings: Settings) -> bool:
    """Apply missing migrations; of several processes started together one does it and the others wait.

    Returns whether anything was missing. Raises Conflict if another one is at it for two minutes, Rejected
    if the data folder cannot be used.
    """
    from app.store import migrate  # noqa: PLC0415 - brings Alembic, 11 MB that the web can do without

    _require_folder(settings.data_dir)
    urls = {"app": settings.app_database_url, "inbox": settings.inbox_database_url}
    with exclusive(settings.data_dir / "upgrade.lock", subject="database upgrade", wait_s=WAIT_S):
        was_current = migrate.is_current(urls["app"], "app") and migrate.is_current(urls["inbox"], "inbox")
        if not was_current:
            migrate.upgrade(urls["app"], urls["inbox"])
    return not was_current


def _require_folder(folder: Path) -> None:
    """The lock's file is the first that is written there, so that is what is tried."""
    subject = f"{PREFIX}DATA_DIR"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "upgrade.lock").touch()
    except (FileExistsError, NotADirectoryError):
        raise Rejected(subject, f"{folder} is not a folder; name one that may be made or written") from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise Rejected(subject, f"{folder} cannot be written ({why}); name another folder") from None
