"""What was removed may have spoken against an excuse: its silence excuses nothing."""

from datetime import timedelta
from pathlib import Path

import pytest
from ingest_story import Story, call, invoke, said, sha, story_in, traceback

from app.clock import SystemClock
from app.settings import Settings

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
