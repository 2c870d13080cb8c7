"""Files that are brought in again when what they told before is past its time: nothing is counted twice."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ingest_story import Story, invoke, json_lines, story_in, traceback
from sqlalchemy import select

from app.settings import Settings
from app.store.results import DailyCountRow
from app.store.session import open_engine, read_only

FAILS = {"test_one": traceback("test_one")}
PASSES = {"test_one": "passed"}
NOW = datetime.now(UTC).replace(microsecond=0)  # noqa: TID251 - the commands read the real time


@pytest.fixture
def story(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Story:
    return story_in(tmp_path / "story", settings.data_dir, monkeypatch)


def counted(settings: Settings) -> list[tuple[int, int]]:
    """How often the test ran and was red, by day."""
    store = open_engine(settings.app_database_url)
    with read_only(store) as session:
        found = session.execute(
            select(DailyCountRow.ran, DailyCountRow.red).order_by(DailyCountRow.day)
        ).all()
    store.dispose()
    return [(row.ran, row.red) for row in found]


def told_again(story: Story, *, days: int) -> list[str]:
    """A history that ended so long ago and a job of today; its removal; and what is said of it then."""
    story.at = NOW - timedelta(days=days)
    story.commit("m0")
    story.job(10, PASSES)
    story.job(11, FAILS)
    story.at = NOW - timedelta(hours=1)
    story.job(500, {"test_two": traceback("test_two", "KeyError: 'of today'")})
    assert {one["status"] for one in story.ingest()} == {"new"}
    json_lines(invoke("retention", "run", "--json"))
    return [one["status"] for one in story.ingest()]


def test_removed_attempts_are_told_and_passed_over(story: Story, settings: Settings) -> None:
    assert told_again(story, days=200) == ["past", "past", "known"]
    assert counted(settings) == [(2, 1), (1, 1)]
    manifest, _ = story.write()
    told = invoke("ingest", "--manifest", str(manifest))
    assert told.exit_code == 0
    assert "2 attempts were past their time and passed over" in told.stderr


def test_attempts_without_their_files_are_known(story: Story, settings: Settings) -> None:
    assert told_again(story, days=60) == ["known", "known", "known"]
    assert counted(settings) == [(2, 1), (1, 1)]


def test_history_that_is_younger_than_what_was_removed_is_taken(story: Story) -> None:
    told_again(story, days=200)
    story.entries.clear()
    story.at = NOW - timedelta(days=190)
    story.job(20, PASSES)
    assert [one["status"] for one in story.ingest()] == ["new"]


def test_another_repository_keeps_its_old_history(story: Story) -> None:
    told_again(story, days=200)
    story.entries.clear()
    story.at = NOW - timedelta(days=220)
    story.job(20, PASSES, repo="octo/other")
    assert [one["status"] for one in story.ingest()] == ["new"]
