"""With posting switched off GitHub is told nothing, and all that it would be told is kept and shown."""

from dataclasses import replace

import pytest
from pipeline import Pipeline
from scene import BASE, FAILING, ON_MAIN, PASSING, PULL, REPO, Ran, Scene, failing

from app.store import reports, repos
from app.store.reports import Alert, PublishedComment
from app.store.screens import report_lines
from app.store.session import read_only
from worker.commands.reports import report_record

JOB = "test (3.12)"
RED = Ran(JOB, (PASSING, FAILING))
GREEN = Ran(JOB, (PASSING,))


def post(pipeline: Pipeline, *, on: bool) -> None:
    settings = pipeline.deps.settings.model_copy(update={"post": on})
    pipeline.deps = replace(pipeline.deps, settings=settings)


def kept(pipeline: Pipeline) -> tuple[PublishedComment | None, Alert | None]:
    with read_only(pipeline.deps.store) as session:
        repo = repos.key_of(session, REPO)
        assert repo is not None
        alerts = reports.newest_alerts(session, repo=repo, limit=1)
        return reports.comment(session, repo, PULL), alerts[0] if alerts else None


@pytest.fixture
def quiet(pipeline: Pipeline, scene: Scene) -> Pipeline:
    """A red pull request and a red main, read with posting switched off."""
    post(pipeline, on=False)
    scene.run(1001, RED, event="pull_request")
    scene.run(1002, GREEN, head=BASE, branch="main")
    scene.run(1003, RED, head=ON_MAIN, branch="main")
    return pipeline.deliver(1001, 1002, 1003).drain()


def test_nothing_is_written_to_github_and_all_is_kept(quiet: Pipeline) -> None:
    comment, alert = kept(quiet)
    assert comment is not None
    assert alert is not None
    assert (comment.github_id, comment.is_posted, alert.issue, alert.is_posted) == (None, False, None, False)
    assert "test_total_is_right" in comment.body
    assert "test_total_is_right" in alert.body
    assert quiet.stand_in.writes == []
    assert all(request.startswith("GET ") for request in quiet.stand_in.requests)


def test_what_is_kept_is_shown_where_people_look(quiet: Pipeline) -> None:
    page = quiet.page("/reports")
    assert page.count("kept here, not posted") == 2
    assert "1 failure" in page
    assert "Alert on main (open)" in page
    assert f"/reports?repo=acme%2Fgefen&amp;pull={PULL}" in quiet.page(f"/pulls/{REPO}/{PULL}")
    assert "/reports?repo=acme%2Fgefen" in quiet.page("/")
    only = quiet.page(f"/reports?repo={REPO}&pull={PULL}")
    assert only.count("kept here, not posted") == 1
    assert "None yet" in quiet.page("/reports?repo=acme/unknown")


def test_once_posting_is_switched_on_what_was_kept_is_posted_once(quiet: Pipeline) -> None:
    post(quiet, on=True)
    for _ in range(2):
        quiet.publish_again(1001)
        quiet.publish_again(1003)
    comment, alert = kept(quiet)
    assert comment is not None
    assert alert is not None
    (posted,) = quiet.comments(REPO, PULL)
    (issue,) = quiet.issues(REPO)
    assert (comment.github_id, comment.is_posted) == (posted.id, True)
    assert (alert.issue, alert.is_posted) == (issue.number, True)
    assert posted.body == comment.body
    assert quiet.stand_in.duplicate_effects == 0
    assert "posted: " in quiet.page("/reports")


def test_text_that_changes_while_posting_is_off_is_kept_beside_an_older_one_that_stands(
    pipeline: Pipeline, scene: Scene
) -> None:
    scene.run(1001, RED, event="pull_request")
    scene.run(1003, RED, head=ON_MAIN, branch="main")
    pipeline.deliver(1001, 1003).drain()
    (posted,), (issue,) = pipeline.comments(REPO, PULL), pipeline.issues(REPO)
    assert pipeline.page("/reports").count("posted: ") == 2
    post(pipeline, on=False)
    more = Ran(JOB, (PASSING, FAILING, failing("test_more")))
    scene.run(1004, more, event="pull_request")
    scene.run(1005, more, head=ON_MAIN, branch="main")
    pipeline.deliver(1004, 1005).drain()
    comment, alert = kept(pipeline)
    assert comment is not None
    assert alert is not None
    assert (comment.github_id, comment.is_posted) == (posted.id, False)
    assert (alert.issue, alert.is_posted) == (issue.number, False)
    page = pipeline.page("/reports")
    assert page.count("kept here, not posted; an older text is in ") == 2
    assert f"#issuecomment-{posted.id}" in page
    assert "its comment, not posted" in pipeline.page(f"/pulls/{REPO}/{PULL}")
    with read_only(pipeline.deps.store) as session:
        records = [report_record(one) for one in report_lines.newest(session, limit=10)]
    assert [record["posted"] for record in records] == [False, False]


def test_what_was_posted_is_edited_again_after_a_pause_of_posting(pipeline: Pipeline, scene: Scene) -> None:
    scene.run(1001, RED, event="pull_request")
    pipeline.deliver(1001).drain()
    post(pipeline, on=False)
    scene.run(1004, GREEN, event="pull_request")
    pipeline.deliver(1004).drain()
    (before,) = pipeline.comments(REPO, PULL)
    post(pipeline, on=True)
    pipeline.publish_again(1004)
    (after,) = pipeline.comments(REPO, PULL)
    assert after.id == before.id
    comment, _ = kept(pipeline)
    assert comment is not None
    assert after.body == comment.body
    assert pipeline.stand_in.duplicate_effects == 0


def test_alert_that_ended_unposted_is_never_posted(quiet: Pipeline, scene: Scene) -> None:
    scene.run(1005, Ran(JOB, (PASSING, replace(FAILING, fails=None))), head=ON_MAIN, branch="main")
    quiet.deliver(1005).drain()
    _, alert = kept(quiet)
    assert alert is not None
    assert alert.state == "closed"
    post(quiet, on=True)
    quiet.publish_again(1005)
    assert quiet.issues(REPO) == []
