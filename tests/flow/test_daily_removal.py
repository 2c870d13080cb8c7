"""The day's removal beside GitHub: a pull request is kept as long as it is open there, and no longer."""

import pytest
from pipeline import Pipeline
from scene import (
    BASE,
    ELSEWHERE,
    FAILING,
    HEAD,
    LINT,
    NEXT,
    ON_MAIN,
    PASSING,
    PULL,
    REPO,
    Case,
    Ran,
    Scene,
    failing,
)
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.domain.ids import RepoName
from app.standin.faults import NO_PERMISSION, Fault, answer
from app.store import repos
from app.store.failures import FailureRow
from app.store.outbox import ask
from app.store.repos import RepoRow
from app.store.runs import AttemptRow, RunRow
from app.store.session import read_only, unit_of_work
from worker.housekeeping.orders import removal_order
from worker.watching import look

RED = Ran("linux", (PASSING, FAILING))
GREEN = Ran("linux", (PASSING, Case("test_total_is_right")))
STYLE = Ran("lint", (Case("test_style"),))
DAY_S = 24 * 3600


def texts_after(pipeline: Pipeline, *, days: int) -> set[str]:
    """The blobs of failures' texts when so many days have gone and the day's removal has run."""
    pipeline.clock.advance(seconds=days * DAY_S)
    with unit_of_work(pipeline.deps.store) as session:
        ask(session, removal_order(pipeline.clock.now().date().isoformat()))
    pipeline.drain()
    assert pipeline.dead() == []
    with read_only(pipeline.deps.store) as session:
        return set(session.scalars(select(FailureRow.text_blob)))


@pytest.fixture
def commented(pipeline: Pipeline, scene: Scene) -> Pipeline:
    pipeline.deliver(scene.run(11, RED, event="pull_request")).drain()
    assert pipeline.comments(REPO, PULL)
    return pipeline


def test_texts_of_an_open_pull_request_stay(commented: Pipeline) -> None:
    assert "" not in texts_after(commented, days=60)


def test_a_pull_request_that_was_closed_meanwhile_is_asked_for_and_its_texts_go(
    commented: Pipeline, scene: Scene
) -> None:
    """No run tells us of it, so without asking it would be open for ever."""
    scene.state.close_pull(REPO, PULL)
    assert texts_after(commented, days=60) == {""}
    page = commented.page(f"/pulls/{REPO}/{PULL}")
    assert "test_total_is_right" in page


def test_a_pull_request_that_is_gone_is_closed(commented: Pipeline, scene: Scene) -> None:
    scene.state.faults.inject(f"/repos/{REPO}/pulls/{PULL}", answer(404, "Not Found"))
    assert texts_after(commented, days=60) == {""}


@pytest.mark.parametrize("refusal", [NO_PERMISSION, answer(200, "{}")], ids=["forbidden", "unreadable"])
def test_what_we_may_not_see_is_not_taken_for_closed(
    commented: Pipeline, scene: Scene, refusal: Fault
) -> None:
    scene.state.faults.inject(f"/repos/{REPO}/pulls/{PULL}", *[refusal] * 10)
    assert "" not in texts_after(commented, days=60)


def test_a_repository_that_we_no_longer_see_keeps_its_texts(commented: Pipeline, scene: Scene) -> None:
    """GitHub says 404 of it and of all that is in it."""
    scene.state.faults.inject(f"/repos/{REPO}*", *[answer(404, "Not Found")] * 10)
    assert "" not in texts_after(commented, days=60)


def test_owners_without_an_answer_hold_up_no_other(commented: Pipeline, scene: Scene) -> None:
    open_pulls_elsewhere(commented)
    for owner in ("aaa", "zzz"):
        scene.state.faults.inject(f"/repos/{owner}/*", *[answer(502, "Bad Gateway")] * 20)
    scene.state.close_pull(REPO, PULL)
    assert "" in texts_after(commented, days=60)


def open_pulls_elsewhere(pipeline: Pipeline) -> None:
    """The same pull request and run in repositories of two other owners, which come before it."""
    with unit_of_work(pipeline.deps.store) as session:
        run = session.scalars(select(RunRow)).one()
        pull = repos.pull(session, run.repo_id, PULL)
        assert pull is not None
        for key, name in ((-1, "aaa/other"), (0, "zzz/other")):
            session.add(RepoRow(id=key, full_name=name, shown_name=name, default_branch="main"))
            session.flush()
            repos.remember_pull(session, key, pull)
            _copy_run(session, run, key)


def _copy_run(session: Session, run: RunRow, repo: int) -> None:
    copy = {column.key: getattr(run, column.key) for column in RunRow.__table__.columns}
    made = RunRow(**copy | {"id": None, "repo_id": repo})
    session.add(made)
    session.flush()
    attempt = session.scalars(select(AttemptRow).where(AttemptRow.run_id == run.id)).one()
    copy = {column.key: getattr(attempt, column.key) for column in AttemptRow.__table__.columns}
    session.add(AttemptRow(**copy | {"id": None, "run_id": made.id}))


def test_where_github_does_not_answer_nothing_of_an_open_pull_request_goes(
    commented: Pipeline, scene: Scene
) -> None:
    scene.state.faults.inject(f"/repos/{REPO}/pulls/{PULL}", *[answer(502, "Bad Gateway")] * 10)
    assert "" not in texts_after(commented, days=60)


def test_a_run_after_its_texts_are_gone_is_told_of_as_before(commented: Pipeline, scene: Scene) -> None:
    """The comment is made again from what is left: the failure's own message takes the place of its text."""
    with unit_of_work(commented.deps.store) as session:
        repos.close_pull(session, 1, PULL)
    scene.state.close_pull(REPO, PULL)
    assert texts_after(commented, days=60) == {""}
    commented.deliver(scene.run(12, RED, event="pull_request")).drain()
    assert commented.dead() == []
    (comment,) = commented.comments(REPO, PULL)
    assert "test_total_is_right" in comment.body


def test_a_red_main_keeps_what_its_open_alert_tells(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(11, RED, head=BASE, branch="main")).drain()
    assert [one.state for one in pipeline.issues(REPO)] == ["open"]
    assert "" not in texts_after(pipeline, days=400)
    pipeline.deliver(scene.run(12, GREEN, head=ON_MAIN, branch="main")).drain()
    assert [one.state for one in pipeline.issues(REPO)] == ["closed"]
    assert texts_after(pipeline, days=60) == {""}


def hold_the_newest_keys(pipeline: Pipeline, scene: Scene, run: int) -> None:
    """A later failure of another branch, as any busy service has: the newest attempts never go."""
    other = Ran("other", (failing("test_else", line=99),))
    pipeline.deliver(scene.run(run, other, head=NEXT, branch="unrelated", pulls=())).drain()


def test_an_open_alert_keeps_the_red_of_a_rerun(pipeline: Pipeline, scene: Scene) -> None:
    """Its run was created days before the alert opened."""
    pipeline.deliver(scene.run(20, GREEN, head=BASE, branch="main")).drain()
    pipeline.clock.advance(seconds=5 * DAY_S)
    pipeline.deliver(scene.run(20, RED, head=BASE, branch="main", attempt=2)).drain()
    hold_the_newest_keys(pipeline, scene, 21)
    texts_after(pipeline, days=185)
    pipeline.deliver(scene.run(22, STYLE, head=ON_MAIN, branch="main", workflow=LINT)).drain()
    assert [one.state for one in pipeline.issues(REPO)] == ["open"], "nothing saw the test pass"


def test_an_open_pull_request_keeps_the_red_of_a_push_before_it(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(30, RED, head=ELSEWHERE, branch="later", pulls=())).drain()
    scene.state.add_pull(REPO, 8, "later", ELSEWHERE, "main", "Later", "ann", at=pipeline.clock.now())

    def lint(run: int) -> str:
        told = scene.run(
            run, STYLE, event="pull_request", head=ELSEWHERE, branch="later", pulls=(8,), workflow=LINT
        )
        pipeline.deliver(told).drain()
        (comment,) = pipeline.comments(REPO, 8)
        return comment.body.partition("<details>")[0]

    assert "test_total_is_right" in lint(31)
    hold_the_newest_keys(pipeline, scene, 32)
    texts_after(pipeline, days=185)
    assert "test_total_is_right" in lint(33), "nothing saw it pass"


def test_a_push_before_a_pull_request_goes_once_that_is_closed(pipeline: Pipeline, scene: Scene) -> None:
    """The attempt does not name the pull request, which is asked for all the same."""
    pipeline.deliver(scene.run(30, RED, head=HEAD, branch="topic", pulls=())).drain()
    with unit_of_work(pipeline.deps.store) as session:
        told = pipeline.deps.github.pull(RepoName(REPO), PULL)
        repos.remember_pull(session, 1, told)
        session.execute(update(RunRow).values(pull=None))
    assert "" not in texts_after(pipeline, days=40)
    scene.state.close_pull(REPO, PULL)
    assert texts_after(pipeline, days=1) == {""}


def test_what_is_removed_is_not_read_again(pipeline: Pipeline, scene: Scene) -> None:
    """The repository rested, so its list still begins with those runs: they would open a second alert."""
    assert look.look_if_due(pipeline.deps, RepoName(REPO))
    pipeline.deliver(scene.run(11, RED, head=BASE, branch="main")).drain()
    pipeline.deliver(scene.run(12, GREEN, head=ON_MAIN, branch="main")).drain()
    hold_the_newest_keys(pipeline, scene, 13)
    texts_after(pipeline, days=182)
    before = len(pipeline.stand_in.writes)
    assert look.look_if_due(pipeline.deps, RepoName(REPO))
    pipeline.drain()
    pipeline.deliver(11, 12).drain()
    assert len(pipeline.stand_in.writes) == before
    assert pipeline.counted("tests.test_combine::test_total_is_right") == (2, 1)
    assert pipeline.dead() == []
