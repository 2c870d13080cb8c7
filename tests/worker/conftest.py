"""What the engine's tests share: a migrated data folder, a clock that stands still, tiny stages."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from bench import Bench, StoppedClock

from app.domain.policy import VerdictPolicy
from app.github.client import GitHub, open_http
from app.github.credentials import NoToken
from app.settings import Settings
from app.store.session import open_engine, open_inbox
from worker.deps import Deps
from worker.upgrade import upgrade


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("migrated")
    upgrade(Settings(data_dir=folder))
    return folder


@pytest.fixture
def settings(migrated: Path, tmp_path: Path, database_url: str | None) -> Settings:
    folder = tmp_path / "data"
    if database_url is None:
        shutil.copytree(migrated, folder)
    return Settings(data_dir=folder, poll_interval_s=0.02, retry_base_s=0.05, stop_timeout_s=5)


@pytest.fixture
def bench(settings: Settings) -> Iterator[Bench]:
    clock = StoppedClock()
    store = open_engine(settings.app_database_url)
    inbox = open_inbox(settings.inbox_database_url)
    with closing(open_http(timeout_s=1)) as http:
        github = GitHub(
            http, NoToken(), api_url="http://127.0.0.1:9", allow_private_downloads=True, clock=clock
        )
        deps = Deps(settings, store, inbox, github, clock, VerdictPolicy())
        yield Bench(settings, deps, clock)
    store.dispose()
    inbox.dispose()
