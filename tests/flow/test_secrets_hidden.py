"""No token that a test printed, and none of ours, is told to anyone: not in comment, alert or page."""

from pathlib import Path

from fixtures_github import ManualClock
from pipeline import Pipeline, open_pipeline
from pydantic import SecretStr
from scene import BASE, FAILURE, ON_MAIN, PULL, REPO, Case, Ran, Scene

from app.settings import Settings
from app.standin.server import StandIn
from worker.upgrade import upgrade

SHAPED = "ghp_" + "a1B2" * 9
OURS = "0d9ae1a5-of-no-known-shape"
TEXT = FAILURE.format(name="test_push", expected=3, seen=2, line=14) + f"\nE  {SHAPED} and {OURS} refused"
CASE = Case(f"test_push[{SHAPED}]", TEXT.replace("assert 2 == 3", f"push({SHAPED!r}, {OURS!r})"))


def tell(pipeline: Pipeline, scene: Scene) -> None:
    red = Ran(f"test ({SHAPED})", (CASE,))
    pipeline.deliver(scene.run(1, Ran(red.name, (Case(CASE.name),)), branch="main", head=BASE)).drain()
    pipeline.deliver(scene.run(2, red), scene.run(3, red, branch="main", head=ON_MAIN)).drain()


def test_secrets_are_in_no_comment_no_alert_and_on_no_page(
    tmp_path: Path, stand_in: StandIn, github_clock: ManualClock
) -> None:
    settings = Settings(data_dir=tmp_path, webhook_secret=None, github_token=SecretStr(OURS))
    upgrade(settings)
    with open_pipeline(settings, stand_in, github_clock) as pipeline:
        tell(pipeline, Scene(stand_in.state, github_clock))
        (comment,), (issue,) = pipeline.comments(REPO, PULL), pipeline.issues(REPO)
        failures = pipeline.lines(2)
        pages = [
            pipeline.page(f"/?repo={REPO}"),
            pipeline.page(f"/?repo={REPO}&pull={PULL}"),
            pipeline.page("/tests"),
            pipeline.page("/failures/1"),
        ]
    assert failures
    assert comment.body.splitlines()[-1].startswith("<!-- flake-triage:")
    for told in (comment.body, issue.title, issue.body, *pages):
        assert "a1B2" not in told
        assert OURS not in told
        assert "test_push" in told
    assert "[secret]" in comment.body
