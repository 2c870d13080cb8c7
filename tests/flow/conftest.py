"""Fixtures of the flow tests: a data folder that is migrated once, and the service on a copy of it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures_github import ManualClock
from pipeline import Pipeline, open_pipeline
from scene import Scene
from sharing import Share, share_in

from app.settings import Settings
from app.standin.server import StandIn
from worker.upgrade import upgrade


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("migrated")
    upgrade(Settings(data_dir=folder))
    return folder


@pytest.fixture(scope="session")
def share(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Share:
    base = tmp_path_factory.getbasetemp()
    return share_in(base if worker_id == "master" else base.parent)


@pytest.fixture
def pipeline(
    migrated: Path,
    tmp_path: Path,
    stand_in: StandIn,
    github_clock: ManualClock,
    database_url: str | None,
) -> Iterator[Pipeline]:
    folder = tmp_path / "data"
    if database_url is None:
        shutil.copytree(migrated, folder)
    with open_pipeline(Settings(data_dir=folder), stand_in, github_clock) as opened:
        yield opened


@pytest.fixture
def scene(stand_in: StandIn, github_clock: ManualClock) -> Scene:
    return Scene(stand_in.state, github_clock)
