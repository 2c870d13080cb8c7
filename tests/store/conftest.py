"""A database with every table, on SQLite and on PostgreSQL, and a desk to write at."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import Desk
from fixtures_postgres import driven
from sqlalchemy import Engine

from app.domain.ids import RepoName
from app.store import repos
from app.store.schema import METADATA
from app.store.session import open_engine, sqlite_url, unit_of_work


@pytest.fixture(params=["sqlite", "postgresql"])
def app_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The application's database as SQLAlchemy spells it; each test runs on both."""
    if request.param == "postgresql":
        return driven(request.getfixturevalue("postgres_url"))
    url = sqlite_url(tmp_path / "app.db")
    engine = open_engine(url)
    METADATA["app"].create_all(engine)
    engine.dispose()
    return url


@pytest.fixture
def app_store(app_url: str) -> Iterator[Engine]:
    engine = open_engine(app_url)
    yield engine
    engine.dispose()


@pytest.fixture
def desk(app_store: Engine) -> Iterator[Desk]:
    with unit_of_work(app_store) as session:
        yield Desk(session, repos.remember(session, RepoName("octo/lib")))
