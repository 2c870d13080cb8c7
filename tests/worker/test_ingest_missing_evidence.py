"""Jobs of which nothing is known but that they ended have nothing in common: none excuses another."""

from pathlib import Path

import pytest
from ingest_story import Story, call, said, sha, story_in

from app.settings import Settings

LOG = "2026-11-01T08:00:00.1234567Z ##[error]{}"


@pytest.fixture
def story(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Story:
    return story_in(tmp_path / "story", settings.data_dir, monkeypatch)


def two_pulls(story: Story, words: str | None) -> None:
    story.commit("m0")
    for number, head in ((7, "a1"), (8, "b1")):
        story.commit(head, "m0", branch=f"topic-{number}", pr=number)
        log = None if words is None else f"log-{number}.txt"
        if log is not None and words is not None:
            (story.folder / log).write_text(LOG.format(words) + "\n")
        facts = {"event": "pull_request", "pr": number, "branch": f"topic-{number}", "tree": sha(f"t{head}")}
        story.job(number, None, conclusion="failure", sha=sha(head), log=log, **facts)


@pytest.mark.parametrize(
    "words",
    [
        None,
        "The job running on runner GitHub Actions 4 has exceeded the maximum execution time of 360 minutes.",
        "The action 'Run the tests' has timed out after 30 minutes.",
        "Gradle build failed: see console output for details",
        "Some checks were not successful",
        "The pre-commit hooks modified files",
    ],
)
def test_a_job_without_a_told_cause_excuses_no_other(story: Story, words: str | None) -> None:
    two_pulls(story, words)
    story.ingest()
    for run in (7, 8):
        assert call(said().of(run, None)) == ("undecided", "suspected", "unknown")


def test_a_placed_cause_still_does(story: Story) -> None:
    two_pulls(story, "src/shapes.c:12:5: error: unknown type name 'shape_t'")
    story.ingest()
    assert call(said().of(8, None))[2] == "not-yours"
