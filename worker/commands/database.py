"""The application database for a command that runs beside the service or without it."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, inspect
from sqlalchemy.orm import Session

from app.domain.errors import Gone
from app.domain.ids import RepoName
from app.settings import PREFIX, Settings
from app.store import repos
from app.store.repos import RepoRow
from app.store.session import open_engine, read_only


@contextmanager
def existing_store(settings: Settings, *, subject: str) -> Iterator[Engine]:
    """Raise Gone where there is no database yet: reading must not make one. `subject` is the command."""
    if not settings.on_postgres and not (settings.data_dir / "app.db").exists():
        raise _nothing_yet(settings, subject)
    with opened_store(settings) as store:
        if settings.on_postgres and not inspect(store).has_table(RepoRow.__tablename__):
            raise _nothing_yet(settings, subject)
        yield store


def _nothing_yet(settings: Settings, subject: str) -> Gone:
    holds, variable = ("tables", "DATABASE_URL") if settings.on_postgres else ("database", "DATA_DIR")
    return Gone(
        subject,
        f"{settings.database_shown} holds no {holds} yet; `flake-triage serve` or `flake-triage ingest` "
        f"fills one, and {PREFIX}{variable} says where it is",
    )


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
