"""The application database for a command that runs beside the service or without it."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from app.domain.errors import Gone
from app.domain.ids import RepoName
from app.settings import PREFIX, Settings
from app.store import repos
from app.store.session import open_engine, read_only


@contextmanager
def existing_store(settings: Settings, *, subject: str) -> Iterator[Engine]:
    """Raise Gone where there is no database yet: reading must not make one. `subject` is the command."""
    if not (settings.data_dir / "app.db").exists():
        raise Gone(
            subject,
            f"{settings.data_dir} holds no database yet; `flake-triage serve` or `flake-triage ingest` "
            f"fills one, and {PREFIX}DATA_DIR says where it is",
        )
    with opened_store(settings) as store:
        yield store


@contextmanager
def reading(command: str) -> Iterator[Session]:
    with existing_store(Settings(), subject=command) as store, read_only(store) as session:
        yield session


def repo_key(session: Session, repo: str | None) -> int | None:
    """Our key of a repository; None for all of them. Raises Gone for one that is not known."""
    if repo is None:
        return None
    key = repos.key_of(session, RepoName(repo))
    if key is None:
        raise Gone(repo, "nothing is known of this repository")
    return key


@contextmanager
def opened_store(settings: Settings) -> Iterator[Engine]:
    store = open_engine(settings.app_database_url)
    try:
        yield store
    finally:
        store.dispose()
