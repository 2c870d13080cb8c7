"""The whole service as a GitHub App: it knows its own comment and alert again, and outlives its tokens."""

import shutil
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from fixtures_app import OWNER
from fixtures_github import ManualClock
from pipeline import Pipeline, open_pipeline
from scene import BASE, FAILING, ON_MAIN, PASSING, PULL, REPO, Case, Ran, Scene, failing
from test_daily_removal import open_pulls_elsewhere, texts_after

from app.domain.gap import GapKind
from app.domain.ids import RepoName
from app.domain.marker import comment_marker
from app.domain.verdict import Kind
from app.settings import Settings
from app.standin.apps import AppRecord, InstallationRecord, Shape
from app.standin.server import StandIn
from app.store.outbox import Order

RED = Ran("test (a)", (PASSING, FAILING))
GREEN = Ran("test (a)", (PASSING, Case(FAILING.name)))
US = "flaky-friend[bot]"
FOUR_LINES = b"""\
2026-11-30T12:00:00.1000000Z Requested labels: self-hosted
2026-11-30T12:00:00.2000000Z Job defined at: acme/gefen/.github/workflows/tests.yml@refs/heads/main
2026-11-30T12:00:00.3000000Z Waiting for a runner to pick up this job...
2026-11-30T12:00:01.0000000Z Job is about to start running on the runner: linux-7 (repository)
"""


@pytest.fixture
def pipeline(
    migrated: Path,
    tmp_path: Path,
    stand_in: StandIn,
    github_clock: ManualClock,
    app_settings: Settings,
    installed: InstallationRecord,
) -> Iterator[Pipeline]:
    assert installed.account == OWNER
    folder = tmp_path / "data"
    shutil.copytree(migrated, folder)
    settings = app_settings.model_copy(update={"data_dir": folder})
    with open_pipeline(settings, stand_in, github_clock) as opened:
        yield opened


def test_comment_is_made_once_and_edited_and_a_copy_of_its_marker_is_left_alone(
    pipeline: Pipeline, scene: Scene
) -> None:
    copied = f"me too\n\n{comment_marker(RepoName(REPO), PULL)}"
    scene.state.add_comment(REPO, PULL, copied, author="mallory[bot]", at=scene.clock.now())
    pipeline.deliver(scene.run(1, RED)).drain()
    pipeline.deliver(scene.run(2, GREEN)).drain(twice=True)
    pipeline.publish_again(2)
    theirs, ours = pipeline.comments(REPO, PULL)
    assert (theirs.author, theirs.body) == ("mallory[bot]", copied)
    assert (ours.author, ours.updated_at > ours.created_at) == (US, True)
    assert pipeline.dead() == []
    assert pipeline.stand_in.duplicate_effects == 0


def test_comment_is_found_again_by_its_author_where_it_was_not_remembered(
    pipeline: Pipeline, scene: Scene
) -> None:
    """As after a death between writing and remembering."""
    marker = comment_marker(RepoName(REPO), PULL)
    lost = scene.state.add_comment(REPO, PULL, f"old\n{marker}", author=US, at=scene.clock.now())
    pipeline.deliver(scene.run(1, RED)).drain()
    (ours,) = pipeline.comments(REPO, PULL)
    assert ours.id == lost.id
    assert FAILING.name in ours.body


def test_alert_is_opened_kept_true_and_closed(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED, branch="main", head=BASE)).drain()
    more = Ran("test (a)", (failing("test_more", expected=8),))
    pipeline.deliver(scene.run(2, more, branch="main", head=ON_MAIN)).drain()
    (opened,) = pipeline.issues(REPO)
    assert (opened.author, opened.state, "test_more" in opened.body) == (US, "open", True)
    pipeline.deliver(scene.run(3, GREEN, branch="main", head=ON_MAIN)).drain()
    both = Ran("test (a)", (PASSING, Case(FAILING.name), Case("test_more")))
    pipeline.deliver(scene.run(4, both, branch="main", head=ON_MAIN)).drain()
    pipeline.publish_again(4)
    assert [issue.state for issue in pipeline.issues(REPO)] == ["closed"]
    assert pipeline.dead() == []
    assert pipeline.stand_in.duplicate_effects == 0


@pytest.mark.parametrize("shape", Shape)
def test_token_that_ends_before_every_stage_stops_nothing(
    pipeline: Pipeline, scene: Scene, app: AppRecord, shape: Shape
) -> None:
    app.shape = shape

    def end_tokens(_orders: Sequence[Order]) -> int:
        app.tokens.clear()
        scene.clock.advance(seconds=61)
        return 0

    pipeline.deliver(scene.run(1, RED)).drain(choose=end_tokens)
    assert len(pipeline.comments(REPO, PULL)) == 1
    assert pipeline.dead() == []
    assert len(pipeline.tries) == len(set(pipeline.tries)), "no stage was tried twice"


def test_owners_who_took_the_app_away_hold_up_no_removal_of_others(pipeline: Pipeline, scene: Scene) -> None:
    pipeline.deliver(scene.run(1, RED, event="pull_request")).drain()
    open_pulls_elsewhere(pipeline)
    scene.state.close_pull(REPO, PULL)
    assert "" in texts_after(pipeline, days=60)


def test_hour_between_runs_is_no_matter(pipeline: Pipeline, scene: Scene, app: AppRecord) -> None:
    pipeline.deliver(scene.run(1, RED)).drain()
    scene.clock.advance(seconds=3 * 3600)
    pipeline.deliver(scene.run(2, GREEN)).drain()
    assert app.mints == 2
    assert len(pipeline.comments(REPO, PULL)) == 1


def test_run_of_a_time_in_which_the_app_was_suspended_waits_and_the_dashboard_says_why(
    pipeline: Pipeline, scene: Scene, installed: InstallationRecord
) -> None:
    installed.suspended_at = scene.clock.now()
    shown: list[str] = []

    def take_up_later(_orders: Sequence[Order]) -> int:
        if len(pipeline.tries) == 8:
            shown.extend((pipeline.page("/"), pipeline.page("/problems")))
            installed.suspended_at = None
        return 0

    started_at, before = scene.clock.now(), len(pipeline.stand_in.requests)
    pipeline.deliver(scene.run(1, RED)).drain(choose=take_up_later)
    assert pipeline.dead() == []
    assert len(pipeline.comments(REPO, PULL)) == 1
    assert all("acme suspended the App on 2026-11-30" in page for page in shown)
    assert len(shown) == 2
    assert scene.clock.now() - started_at > timedelta(minutes=30)
    lookups = [one for one in pipeline.stand_in.requests[before:] if one.endswith("/installation")]
    assert len(lookups) <= 8, "one request a try at the most"


def test_alert_waits_for_a_permission_and_is_opened_once_it_is_accepted(
    pipeline: Pipeline, scene: Scene, installed: InstallationRecord
) -> None:
    del installed.permissions["issues"]
    accepted_after = 6

    def accept_later(_orders: Sequence[Order]) -> int:
        if pipeline.tries.count("publish_alert") == accepted_after:
            assert "lacks issues=write" in pipeline.page("/")
            installed.permissions["issues"] = "write"
        return 0

    pipeline.deliver(scene.run(1, RED, branch="main", head=ON_MAIN)).drain(choose=accept_later)
    assert [issue.state for issue in pipeline.issues(REPO)] == ["open"]
    assert pipeline.dead() == []


@pytest.mark.parametrize(
    ("event", "action"),
    [
        ("installation", "created"),
        ("installation", "suspend"),
        ("installation", "deleted"),
        ("installation_repositories", "removed"),
    ],
)
def test_deliveries_about_installations_are_kept_and_start_nothing(
    pipeline: Pipeline, scene: Scene, installed: InstallationRecord, event: str, action: str
) -> None:
    scene.run(1, RED)
    assert pipeline.send(pipeline.mailbox.of_app(event, action, installed)) == 202
    pipeline.drain()
    assert pipeline.tries == []
    page = pipeline.page("/problems?deliveries=all")
    assert f"{event} {action}" in page
    assert "where the App is installed is asked when it matters" in page


def test_runner_that_was_lost_is_told_by_its_annotation_where_checks_may_be_read(
    pipeline: Pipeline, scene: Scene, installed: InstallationRecord
) -> None:
    lost = "The self-hosted runner: linux-7 lost communication with the server."
    for run in (1, 2):
        scene.run(run, Ran("test (a)", log=FOUR_LINES, conclusion="failure"))
        scene.state.annotate(4001 + run, lost)
    pipeline.deliver(1).drain()
    (gap,) = [gap for gap in pipeline.gaps(1) if gap.kind is GapKind.ANNOTATIONS_UNREAD]
    assert gap.subject == "test (a)"
    assert "(needs checks=read); the permission Checks: read would let the cause be read" in gap.detail
    installed.permissions["checks"] = "read"
    scene.clock.advance(seconds=3600)
    pipeline.deliver(2).drain()
    assert GapKind.ANNOTATIONS_UNREAD not in {gap.kind for gap in pipeline.gaps(2)}
    (line,) = pipeline.lines(2).values()
    assert (line.test, line.verdict.kind) == ("", Kind.INFRASTRUCTURE)
    page = pipeline.page(f"/runs/{pipeline.attempt(2).id}")
    assert "lost communication with the server" in page
    assert "annotations" in page
    assert "artifact annotations" not in page
    assert pipeline.dead() == []
