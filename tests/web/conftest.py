"""The web application over two SQLite files of its own, and a client to talk to it."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import web_story
from fastapi import FastAPI
from fixtures_postgres import Server
from pydantic import SecretStr
from starlette.testclient import TestClient
from web_apps import build, dispose

from app.settings import Settings

MakeApp = Callable[..., FastAPI]


@pytest.fixture
def make_app(tmp_path: Path, database_url: str | None) -> Iterator[MakeApp]:
    """Build an empty application; keyword arguments are settings."""
    assert database_url is None or Settings().on_postgres
    made: list[FastAPI] = []

    def make(**overrides: object) -> FastAPI:
        made.append(build(Settings.model_validate({"data_dir": tmp_path, **overrides})))
        return made[-1]

    yield make
    for app in made:
        dispose(app)


@pytest.fixture
def client(make_app: MakeApp) -> Iterator[TestClient]:
    with TestClient(make_app(), base_url="http://127.0.0.1:8077", raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both databases, holding the story of `web_story`; to be copied, not written to."""
    folder = tmp_path_factory.mktemp("told")
    app = build(Settings(data_dir=folder))
    web_story.tell(app.state.wiring)
    dispose(app)
    return folder


@dataclass
class ToldToPostgres:
    """A database that holds the story, and a copy of it, made anew once somebody wrote to it."""

    server: Server
    original: str
    copy: str | None = None

    @contextmanager
    def lent(self) -> Iterator[SecretStr]:
        self.copy = self.copy or self.server.copy_of(self.original)
        before = self.server.writes()
        yield SecretStr(self.copy)
        if self.server.writes() != before:
            self.server.drop(self.copy)
            self.copy = None


@pytest.fixture(scope="session")
def told_to_postgres(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> ToldToPostgres:
    url = postgres.new_database()
    app = build(Settings(data_dir=tmp_path_factory.getbasetemp(), database_url=SecretStr(url)))
    web_story.tell(app.state.wiring)
    dispose(app)
    return ToldToPostgres(postgres, url)


@pytest.fixture
def story(
    request: pytest.FixtureRequest, told: Path, tmp_path: Path, database_url: str | None
) -> Iterator[TestClient]:
    """A client to an application with a copy of the story."""
    with ExitStack() as stack:
        if database_url is None:
            shutil.copytree(told, tmp_path, dirs_exist_ok=True)
            app = build(Settings(data_dir=tmp_path))
        else:
            on_postgres: ToldToPostgres = request.getfixturevalue("told_to_postgres")
            app = build(Settings(data_dir=tmp_path, database_url=stack.enter_context(on_postgres.lent())))
        stack.callback(dispose, app)
        yield stack.enter_context(
            TestClient(app, base_url="http://127.0.0.1:8077", raise_server_exceptions=False)
        )
