"""A repository that was deleted and made anew under its name: nothing of the old one is told there."""

from datetime import timedelta

from pipeline import Pipeline
from scene import BASE, FAILING, ON_MAIN, PASSING, PULL, REPO, Case, Ran, Scene, failing
from sqlalchemy import select

from app.domain.ids import RepoName
from app.domain.verdict import Whose
from app.store import repos
from app.store.repos import RepoRow
from app.store.session import read_only
from worker.watching import look

RED = Ran("linux", (PASSING, FAILING))
NEW_MAIN, NEW_HEAD = "1" * 40, "2" * 40
FORMER = f"{REPO} (former repository 1)"


def make_anew(pipeline: Pipeline, scene: Scene) -> None:
    """Another project of the same name, with a pull request of the same number."""
    state, at = scene.state, pipeline.clock.now() - timedelta(hours=1)
    del state.repositories[REPO]
    state.add_repository(REPO, 77)
    for sha, parents in ((NEW_MAIN, ()), (NEW_HEAD, (NEW_MAIN,))):
        state.add_commit(REPO, sha, sha[0] * 39 + "0", parents, "Begin", "eve", at=at)
    state.set_branch(REPO, "main", NEW_MAIN)
    state.set_branch(REPO, "other", NEW_HEAD)
    state.add_pull(REPO, PULL, "other", NEW_HEAD, "main", "Other", "eve", at=at)


def test_failures_of_the_old_one_excuse_nothing(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(11, RED, head=BASE, branch="main")).drain()
    pipeline.deliver(scene.run(12, RED, head=ON_MAIN, branch="main")).drain()
    make_anew(pipeline, scene)
    pipeline.deliver(scene.run(50, RED, head=NEW_HEAD, branch="other")).drain()
    assert pipeline.verdict(50, FAILING.label).whose is Whose.UNKNOWN
    assert pipeline.dead() == []


def test_the_comment_of_the_new_one_tells_nothing_of_the_old_ones_pull_request(
    pipeline: Pipeline, scene: Scene
) -> None:
    pipeline.deliver(scene.run(11, RED, event="pull_request")).drain()
    make_anew(pipeline, scene)
    new = failing("test_new", line=50)
    pipeline.deliver(scene.run(50, Ran("linux", (PASSING, new)), head=NEW_HEAD, branch="other")).drain()
    green = Ran("linux", (PASSING, Case("test_new")))
    pipeline.deliver(scene.run(51, green, head=NEW_HEAD, branch="other")).drain()
    (comment,) = pipeline.comments(REPO, PULL)
    assert "Green again" in comment.body
    assert "test_total_is_right" not in comment.body


def test_an_open_alert_of_the_old_one_stays_where_it_was(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(11, RED, head=BASE, branch="main")).drain()
    make_anew(pipeline, scene)
    before = len(pipeline.stand_in.writes)
    pipeline.deliver(scene.run(50, Ran("linux", (PASSING,)), head=NEW_MAIN, branch="main")).drain()
    pipeline.run_again("publish_alert", {"schema": 1, "repo": 1, "branch": "main"})
    assert len(pipeline.stand_in.writes) == before
    red = Ran("mac", (failing("test_new", line=50),))
    pipeline.deliver(scene.run(51, red, head=NEW_HEAD, branch="main")).drain()
    (issue,) = (one for one in pipeline.issues(REPO) if one.state == "open" and "test_new" in one.body)
    assert BASE[:7] not in issue.body
    assert FORMER in pipeline.page("/")


def test_the_old_one_is_no_longer_asked_for_and_its_pull_request_is_not_written_to(
    pipeline: Pipeline, scene: Scene
) -> None:
    pipeline.deliver(scene.run(11, RED, event="pull_request")).drain()
    make_anew(pipeline, scene)
    pipeline.deliver(scene.run(50, Ran("linux", (PASSING,)), head=NEW_MAIN, branch="main")).drain()
    before = len(pipeline.stand_in.writes)
    pipeline.run_again("publish_comment", {"schema": 1, "repo": 1, "pull": PULL})
    assert len(pipeline.stand_in.writes) == before
    assert look.look_if_due(pipeline.deps, RepoName(REPO))
    pipeline.drain()
    assert pipeline.dead() == []
    with read_only(pipeline.deps.store) as session:
        assert set(session.scalars(select(RepoRow.shown_name))) == {REPO, FORMER}
        assert not repos.has_name(session, 1)
    assert FORMER in pipeline.page(f"/pulls/{FORMER}/{PULL}")
