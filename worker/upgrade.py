"""Bring the databases up to date before a process uses them."""

from app.settings import Settings
from worker.queue.lock import exclusive

WAIT_S = 120.0
"""Longer than any migration takes here; whoever waits longer should be told."""


def upgrade(settings: Settings) -> None:
    """Apply missing migrations; of several processes started together one does it and the others wait.

    Raises Conflict if another one is at it for two minutes.
    """
    from app.store import migrate  # noqa: PLC0415 - brings Alembic, 11 MB that the web can do without

    with exclusive(settings.data_dir / "upgrade.lock", subject="database upgrade", wait_s=WAIT_S):
        migrate.upgrade(settings.app_database_url, settings.inbox_database_url)
