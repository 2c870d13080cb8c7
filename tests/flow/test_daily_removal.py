"""The day's removal beside GitHub: a pull request is kept as long as it is open there, and no longer."""

import pytest
from pipeline import Pipeline
from scene import BASE, FAILING, ON_MAIN, PASSING, PULL, REPO, Case, Ran, Scene
from sqlalchemy import select

from app.standin.faults import answer
from app.store import repos
from app.store.failures import FailureRow
from app.store.outbox import ask
from app.store.session import read_only, unit_of_work
from worker.housekeeping.orders import removal_order

RED = Ran("linux", (PASSING, FAILING))
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
    green = Ran("linux", (PASSING, Case("test_total_is_right")))
    pipeline.deliver(scene.run(12, green, head=ON_MAIN, branch="main")).drain()
    assert [one.state for one in pipeline.issues(REPO)] == ["closed"]
    assert texts_after(pipeline, days=60) == {""}
