"""Stages run at least once, effects happen once: shown with the guards whole, and with each one broken."""

import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from fixtures_github import ManualClock
from pipeline import Pipeline, open_pipeline
from scene import FAILING, PULL, REPO, Case, Made, Ran, Scene, failing, junit
from sqlalchemy import delete, update
from stored_facts import Facts, differences, github_facts, stored_facts, whatever_came_first

from app.settings import Settings
from app.standin.server import StandIn
from app.standin.talk import Author, IssueRecord
from app.store.artifacts import files_of
from app.store.outbox import Order
from app.store.recording import adopt_job
from app.store.reports import AlertRow, CommentRow
from app.store.runs import JobRow
from app.store.session import read_only, unit_of_work
from worker.demo import facts
from worker.demo.stage_set import StageSet

RED = Ran("test (a)", (FAILING,))
LINT = Ran("lint", (failing("test_style"),))


def test_second_comment_is_counted_where_the_guard_is_broken(pipeline: Pipeline, scene: Scene) -> None:
    """The stored id is lost, and GitHub calls us by another name than the one that wrote the comment."""
    pipeline.deliver(scene.run(1, RED)).drain()
    assert pipeline.stand_in.duplicate_effects == 0
    with unit_of_work(pipeline.deps.store) as session:
        session.execute(delete(CommentRow))
    scene.state.login = "renamed[bot]"
    pipeline.publish_again(1)
    assert len(pipeline.comments(REPO, PULL)) == 2
    assert pipeline.stand_in.duplicate_effects == 1


def test_second_alert_is_counted_where_the_guard_is_broken(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED, branch="main")).drain()
    assert len(pipeline.issues(REPO)) == 1
    with unit_of_work(pipeline.deps.store) as session:
        session.execute(delete(AlertRow))
    scene.state.login = "renamed[bot]"
    pipeline.publish_again(1)
    assert len(pipeline.issues(REPO)) == 2
    assert pipeline.stand_in.duplicate_effects == 1


@pytest.mark.parametrize("ends", ["still red", "green again"])
def test_alert_opened_twice_is_one_again_at_its_next_publish(
    pipeline: Pipeline, scene: Scene, ends: str
) -> None:
    """A worker froze between looking and writing, and was woken after another one had written."""
    pipeline.deliver(scene.run(1, RED, branch="main")).drain()
    kept = pipeline.issues(REPO)[0]
    double = second_alert(scene, kept)
    theirs = second_alert(scene, kept, author="ann")
    passed = Ran(RED.name, (Case(FAILING.name),))
    more = Ran(RED.name, (FAILING, failing("test_more")))
    pipeline.deliver(scene.run(2, passed if ends == "green again" else more, branch="main")).drain()
    by_number = {issue.number: issue for issue in pipeline.issues(REPO)}
    assert by_number[kept.number].state == ("closed" if ends == "green again" else "open")
    assert (by_number[double.number].state, by_number[theirs.number].state) == ("closed", "open")
    assert f"#{kept.number}" in by_number[double.number].body
    assert by_number[theirs.number].body == theirs.body
    assert pipeline.stand_in.duplicate_effects == 1, "it happened, and is counted although it is mended"
    writes = len(pipeline.stand_in.writes)
    pipeline.publish_again(2)
    assert len(pipeline.stand_in.writes) == writes


def test_older_of_two_alerts_that_nobody_remembers_is_kept(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED, branch="main")).drain()
    kept = pipeline.issues(REPO)[0]
    second_alert(scene, kept)
    with unit_of_work(pipeline.deps.store) as session:
        session.execute(delete(AlertRow))
    pipeline.publish_again(1)
    assert [issue.state for issue in pipeline.issues(REPO)] == ["closed", "open"]


def second_alert(scene: Scene, first: IssueRecord, author: str | None = None) -> IssueRecord:
    return scene.state.talk.add_issue(
        scene.state.repository(REPO),
        title=first.title,
        body=first.body,
        labels=first.labels,
        by=Author(author or scene.state.login, ours=author is None),
        at=scene.clock.now(),
    )


def test_fetching_again_after_reading_asks_github_nothing_of_a_job_that_we_made_up(
    pipeline: Pipeline, scene: Scene
) -> None:
    """The worker died between the order to read and the end of the task that fetched."""
    orphans = Made("everything", {"junit.xml": junit(FAILING)})
    pipeline.deliver(scene.run(1, RED, Ran("build", made=(orphans,), conclusion="failure"))).drain()
    before, gaps = stored_facts(pipeline.deps.store), pipeline.gaps(1)
    pipeline.run_again("fetch_artifacts", {"schema": 1, "attempt": pipeline.attempt(1).id})
    assert pipeline.gaps(1) == gaps
    assert differences(stored_facts(pipeline.deps.store), before) == []


def test_job_made_up_by_a_try_that_died_is_counted_once(pipeline: Pipeline, scene: Scene) -> None:
    orphans = Made("everything", {"junit.xml": junit(FAILING)})
    scene.run(1, RED, Ran("build", made=(orphans,), conclusion="failure"))

    def die_between(orders: Sequence[Order]) -> int:
        if orders[0].stage == "read_results":
            with unit_of_work(pipeline.deps.store) as session:
                adopt_job(session, pipeline.attempt(1), "artifact everything")
        return 0

    pipeline.deliver(1).drain(choose=die_between)
    assert pipeline.counted(FAILING.label) == (2, 2), "once in the job of its own, once in the one made up"


@pytest.mark.parametrize("branch", ["topic", "main"])
def test_lost_row_alone_doubles_nothing_because_our_marker_is_found(
    pipeline: Pipeline, scene: Scene, branch: str
) -> None:
    pipeline.deliver(scene.run(1, RED, branch=branch)).drain()
    with unit_of_work(pipeline.deps.store) as session:
        session.execute(delete(CommentRow))
        session.execute(delete(AlertRow))
    pipeline.publish_again(1)
    pipeline.deliver(scene.run(2, LINT, branch=branch)).drain()
    assert len(pipeline.comments(REPO, PULL)) + len(pipeline.issues(REPO)) == 1
    assert pipeline.stand_in.duplicate_effects == 0


def test_counters_double_only_where_their_guard_is_broken(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED)).drain(twice=True)
    assert pipeline.counted(FAILING.label) == (1, 1)
    with unit_of_work(pipeline.deps.store) as session:
        session.execute(update(JobRow).values(counted_at=None))
    _read_again(pipeline, 1)
    assert pipeline.counted(FAILING.label) == (2, 2)


def test_artifact_read_again_adds_no_second_file(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    key = pipeline.attempt(1).id
    with read_only(pipeline.deps.store) as session:
        before = files_of(session, key)
    pipeline.run_again("fetch_artifacts", {"schema": 1, "attempt": key})
    with read_only(pipeline.deps.store) as session:
        assert files_of(session, key) == before


def _read_again(pipeline: Pipeline, run: int) -> None:
    pipeline.run_again("read_results", {"schema": 1, "attempt": pipeline.attempt(run).id})


@contextmanager
def telling_incident_1(migrated: Path, folder: Path) -> Iterator[Pipeline]:
    """All of the incident up to red main, delivered at once and not yet looked at."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(migrated, folder)
    clock = ManualClock()
    story = facts.story()
    with (
        StandIn.start(clock=clock) as stand_in,
        open_pipeline(Settings(data_dir=folder, github_url="https://github.com"), stand_in, clock) as opened,
    ):
        stage = StageSet(stand_in.state, story, begins_at=clock.now() - timedelta(hours=30))
        stage.build()
        stage.open_pull()
        runs = (*story.before, story.push, story.pull_request, *story.between, story.merged)
        for run in runs:
            stage.run(run)
        stage.merge_pull()
        yield opened.deliver(*(run.id for run in runs))


def known(pipeline: Pipeline) -> Facts:
    return stored_facts(pipeline.deps.store) | github_facts(pipeline.stand_in)


@pytest.fixture(scope="module")
def once(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """The facts after each stage ran once, in the order of the orders."""
    with telling_incident_1(migrated, tmp_path_factory.mktemp("once") / "data") as pipeline:
        return known(pipeline.drain())


def test_each_stage_run_twice_is_each_stage_run_once(once: Facts, migrated: Path, tmp_path: Path) -> None:
    with telling_incident_1(migrated, tmp_path / "data") as pipeline:
        assert differences(known(pipeline.drain(twice=True)), once) == []
        assert len(pipeline.tries) > 30
        assert pipeline.stand_in.duplicate_effects == 0


@pytest.mark.parametrize("seed", range(4))
def test_order_of_the_stages_changes_no_fact_and_doubles_no_effect(
    once: Facts, migrated: Path, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)

    def any_of(orders: Sequence[Order]) -> int:
        return chance.randrange(len(orders))

    with telling_incident_1(migrated, tmp_path / "data") as pipeline:
        found = known(pipeline.drain(choose=any_of, twice=seed % 2 == 1))
        assert pipeline.stand_in.duplicate_effects == 0
    assert differences(whatever_came_first(found), whatever_came_first(once)) == []
