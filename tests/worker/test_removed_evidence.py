"""What was removed may have spoken against an excuse: its silence excuses nothing."""

from datetime import timedelta
from pathlib import Path

import pytest
from ingest_story import Story, call, invoke, said, sha, story_in, traceback

from app.clock import SystemClock
from app.domain.ids import RepoName
from app.settings import Settings
from app.store import out_of_sight, repos
from app.store.session import unit_of_work
from worker.commands.database import opened_store

FAILS = {"test_one": traceback("test_one")}
PASSES = {"test_one": "passed"}


@pytest.fixture
def story(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Story:
    return story_in(tmp_path / "story", settings.data_dir, monkeypatch)


def test_a_base_whose_results_were_removed_is_a_gap_and_no_excuse(story: Story) -> None:
    now = SystemClock().now()
    story.at = now - timedelta(days=50)
    story.commit("m0")
    for run in range(10, 30):
        story.job(run, PASSES)
    story.at = now - timedelta(days=45)
    story.commit("a", "m0", branch="topic-7", pr=7)
    story.pull(100, 7, "a", PASSES)
    story.commit("b", "m0", branch="topic-8", pr=8)
    story.ingest()
    assert invoke("retention", "run", "--json").exit_code == 0
    story.entries.clear()
    story.at = now - timedelta(days=1)
    story.pull(200, 8, "b", FAILS)
    story.pull(101, 7, "a", FAILS, tree=sha("other"))
    story.ingest()
    verdict = said().of(101)
    assert call(verdict)[2] == "unknown"
    assert {gap["kind"] for gap in verdict["gaps"]} == {"results-removed"}
    assert "nobody can say whether the base passed in 20 runs of main" in verdict["reasons"][0]["text"]


def test_a_past_that_is_gone_without_a_trace_is_a_gap_and_no_excuse(story: Story, settings: Settings) -> None:
    now = SystemClock().now()
    story.at = now - timedelta(days=1)
    story.commit("m0")
    story.commit("a", "m0", branch="topic-7", pr=7)
    story.commit("b", "m0", branch="topic-8", pr=8)
    story.pull(200, 8, "b", FAILS)
    story.ingest()
    with opened_store(settings) as store, unit_of_work(store) as session:
        repo = repos.remember(session, RepoName("octo/lib"))
        out_of_sight.note_removed(session, repo, recorded_at=now - timedelta(days=3))
    story.pull(100, 7, "a", FAILS)
    story.ingest()
    verdict = said().of(100)
    assert call(verdict)[2] == "unknown"
    assert [gap["kind"] for gap in verdict["gaps"]] == ["results-removed"]
