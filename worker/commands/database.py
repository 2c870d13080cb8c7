"""The application database for a command that runs beside the service or without it."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine

from app.domain.errors import Gone
from app.settings import Settings
from app.store.session import open_engine


@contextmanager
def existing_store(settings: Settings, *, subject: str) -> Iterator[Engine]:
    """Raise Gone where there is no database yet: reading must not make one."""
    if not (settings.data_dir / "app.db").exists():
        raise Gone(subject, f"{settings.data_dir} holds no database; `flake-triage db upgrade` makes one")
    with opened_store(settings) as store:
        yield store


@contextmanager
def opened_store(settings: Settings) -> Iterator[Engine]:
    store = open_engine(settings.app_database_url)
    try:
        yield store
    finally:
        store.dispose()
