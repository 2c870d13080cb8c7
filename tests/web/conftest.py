"""The web application over two SQLite files of its own, and a client to talk to it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from app.deps import Wiring
from app.main import create_app
from app.settings import Settings
from app.store.base import Base, InboxBase


class SteppingClock:
    """Each reading is a second after the one before."""

    def __init__(self, start: datetime) -> None:
        self.moment = start

    def now(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


MakeApp = Callable[..., FastAPI]


@pytest.fixture
def make_app(tmp_path: Path) -> Iterator[MakeApp]:
    """Build an application whose tables exist; keyword arguments are settings."""
    made: list[Wiring] = []

    def make(**overrides: object) -> FastAPI:
        settings = Settings.model_validate({"data_dir": tmp_path, **overrides})
        app = create_app(settings, SteppingClock(datetime(2026, 11, 30, 12, tzinfo=UTC)))
        wired: Wiring = app.state.wiring
        Base.metadata.create_all(wired.store)
        InboxBase.metadata.create_all(wired.inbox)
        made.append(wired)
        return app

    yield make
    for wired in made:
        wired.store.dispose()
        wired.inbox.dispose()


@pytest.fixture
def client(make_app: MakeApp) -> Iterator[TestClient]:
    with TestClient(make_app(), base_url="http://127.0.0.1:8077", raise_server_exceptions=False) as client:
        yield client
