"""Bring the databases up to date before a process uses them."""

import time
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.domain.errors import Rejected, Unavailable
from app.settings import PREFIX, Settings, WrongSettings
from app.store.session import open_engine, read_only
from worker import says, trouble
from worker.queue.lock import exclusive

WAIT_S = 120.0
"""Longer than any migration takes here; whoever waits longer should be told."""

SAY_AGAIN_S = 10.0
LOOK_AGAIN_S = 0.5


def upgrade(settings: Settings, *, wait_s: float = WAIT_S) -> bool:
    """Apply missing migrations; of several processes started together one does it and the others wait.

    Returns whether anything was missing. Raises Conflict if another one is at it for two minutes, Rejected
    if the data folder or the database cannot be used, Unavailable if PostgreSQL does not answer for `wait_s`.
    """
    if settings.on_postgres:
        _await_postgres(settings, wait_s)
        return _upgrade(settings)
    _require_folder(settings.data_dir)
    with exclusive(settings.data_dir / "upgrade.lock", subject="database upgrade", wait_s=WAIT_S):
        return _upgrade(settings)


def _upgrade(settings: Settings) -> bool:
    from app.store import migrate  # noqa: PLC0415 - brings Alembic, 11 MB that the web can do without

    app_url, inbox_url = settings.app_database_url, settings.inbox_database_url
    was_current = migrate.is_current(app_url, "app") and migrate.is_current(inbox_url, "inbox")
    if not was_current:
        migrate.upgrade(app_url, inbox_url)
    return not was_current


def _await_postgres(settings: Settings, wait_s: float) -> None:
    """It may be started together with us. Each reason is said once, and again while it lasts."""
    deadline_s, said, said_s = time.monotonic() + wait_s, "", 0.0
    while (why := _why_not(settings)) is not None:
        now_s = time.monotonic()
        if now_s > deadline_s:
            raise Unavailable(settings.database_shown, why)
        if why != said or now_s - said_s > SAY_AGAIN_S:
            says.progress(f"waiting for {settings.database_shown}: {why}")
            said, said_s = why, now_s
        time.sleep(LOOK_AGAIN_S)


def _why_not(settings: Settings) -> str | None:
    engine = open_engine(settings.app_database_url, busy_s=2)
    try:
        with read_only(engine) as session:
            encoding = session.execute(text("SHOW server_encoding")).scalar_one()
    except OperationalError as error:
        return trouble.database_words(error)
    finally:
        engine.dispose()
    if encoding != "UTF8":
        told = f"its encoding is {encoding}; make the database with ENCODING 'UTF8'"
        raise Rejected(settings.database_shown, told)
    return None


def _require_folder(folder: Path) -> None:
    """The lock's file is the first that is written there, so that is what is tried."""
    subject = f"{PREFIX}DATA_DIR"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "upgrade.lock").touch()
    except (FileExistsError, NotADirectoryError):
        told = f"{folder} is not a folder; name one that may be made or written"
        raise WrongSettings(subject, told) from None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise WrongSettings(subject, f"{folder} cannot be written ({why}); name another folder") from None
