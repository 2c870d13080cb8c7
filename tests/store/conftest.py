"""A database with every table, and a desk to write at."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import Desk
from sqlalchemy import Engine

from app.domain.ids import RepoName
from app.store import repos
from app.store.schema import METADATA
from app.store.session import open_engine, sqlite_url, unit_of_work


@pytest.fixture
def app_store(tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(sqlite_url(tmp_path / "app.db"))
    METADATA["app"].create_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def desk(app_store: Engine) -> Iterator[Desk]:
    with unit_of_work(app_store) as session:
        yield Desk(session, repos.remember(session, RepoName("octo/lib")))
