"""Everything lost in the middle of a story, and brought back: the end is the same, and nothing is doubled."""

import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from fixtures_github import ManualClock
from fixtures_postgres import Server
from pipeline import Pipeline, open_pipeline
from scene import BASE, FAILING, PASSING, Ran, Scene
from stored_facts import Facts, github_facts, stored_facts

from app.settings import Settings
from app.standin.server import StandIn
from worker.backup import whole
from worker.queue.relay import Relay


@dataclass(frozen=True)
class Places:
    """Where the service's databases are before and after the loss; `lose` takes all of the first away."""

    before: Settings
    after: Settings
    server: Server | None

    def lose(self) -> None:
        if self.server is None:
            shutil.rmtree(self.before.data_dir)
        else:
            self.server.drop(str(self.before.database_url and self.before.database_url.get_secret_value()))


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request: pytest.FixtureRequest, tmp_path: Path, migrated: Path) -> Iterator[Places]:
    if request.param == "sqlite":
        shutil.copytree(migrated, tmp_path / "before")
        yield Places(Settings(data_dir=tmp_path / "before"), Settings(data_dir=tmp_path / "after"), None)
        return
    server: Server = request.getfixturevalue("postgres")
    old, new = server.new_database(), server.new_database(migrated=False)
    yield Places(_on(old, tmp_path), _on(new, tmp_path), server)
    server.drop(new)


def _on(url: str, folder: Path) -> Settings:
    return Settings.model_validate({"data_dir": folder / "data", "database_url": url})


def three_runs(scene: Scene) -> None:
    """A push that fails, the same commit's pull request that passes, and main that fails alike."""
    scene.run(11, Ran("linux", (FAILING, PASSING)))
    scene.run(12, Ran("linux", (PASSING, FAILING)), event="pull_request")
    scene.run(13, Ran("linux", (FAILING, PASSING)), head=BASE, branch="main")


def ends(pipeline: Pipeline, stand_in: StandIn) -> Facts:
    return stored_facts(pipeline.deps.store) | github_facts(stand_in)


def start_over(pipeline: Pipeline) -> None:
    """What a worker does at its start."""
    Relay(
        store=pipeline.deps.store,
        inbox=pipeline.deps.inbox,
        enqueue=lambda _order: True,
        clock=pipeline.clock,
        poll_interval_s=0,
        wake=threading.Event(),
    ).start_over()


def test_a_backup_from_the_middle_leads_to_the_same_end(
    places: Places, tmp_path: Path, stand_in: StandIn, scene: Scene, github_clock: ManualClock
) -> None:
    three_runs(scene)
    begun = github_clock.at
    with open_pipeline(places.before, stand_in, github_clock) as pipeline:
        pipeline.deliver(11).drain()
        pipeline.deliver(12)  # received, and not done yet
        whole.take(places.before, tmp_path / "backup", now=github_clock.now())
        last = pipeline.mailbox.workflow_run(13, "completed")
        pipeline.drain().send(last)
        pipeline.drain()
        told = ends(pipeline, stand_in)
        assert told["comments"]
        assert told["issues"]
    places.lose()
    github_clock.at = max(begun, github_clock.at)
    whole.bring_back(places.after, tmp_path / "backup")
    with open_pipeline(places.after, stand_in, github_clock) as pipeline:
        start_over(pipeline)
        pipeline.drain()
        assert ends(pipeline, stand_in) != told, "the last run came after the backup"
        pipeline.send(last)
        pipeline.drain()
        assert pipeline.dead() == []
        assert ends(pipeline, stand_in) == told
    assert stand_in.duplicate_effects == 0


def test_a_backup_brought_back_long_after_still_does_what_was_left(
    places: Places, tmp_path: Path, stand_in: StandIn, scene: Scene, github_clock: ManualClock
) -> None:
    """A delivery that was handed over, but is not in the copy of the store, is days old by then."""
    three_runs(scene)
    with open_pipeline(places.before, stand_in, github_clock) as pipeline:
        pipeline.deliver(11)
        whole.take(places.before, tmp_path / "backup", now=github_clock.now())
    places.lose()
    github_clock.advance(seconds=20 * 24 * 3600)
    whole.bring_back(places.after, tmp_path / "backup")
    with open_pipeline(places.after, stand_in, github_clock) as pipeline:
        start_over(pipeline)
        pipeline.drain()
        assert pipeline.attempt(11).is_judged
