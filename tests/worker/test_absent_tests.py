"""A test that a job's results do not list did not pass; where results are missing, it may have."""

from pathlib import Path

import pytest
from ingest_story import Story, call, invoke, said, sha, story_in, traceback

from app.settings import Settings

FAILS = {"test_one": traceback("test_one")}
OTHER = '<testcase classname="tests.test_a" name="test_other"/>'
WHOLE = f'<testsuite name="unit" tests="1">{OTHER}</testsuite>'
SHORT = f'<testsuite name="unit" tests="2">{OTHER}</testsuite>'
CUT = f'<testsuite name="unit">{OTHER}<testcase classname="tests.test_a" name="te'


@pytest.fixture
def story(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Story:
    return story_in(tmp_path / "story", settings.data_dir, monkeypatch)


def left(story: Story, run: int, text: str | None, **facts: str) -> None:
    """A job on main without the test: it left this file, or none."""
    paths = []
    if text is not None:
        paths = [f"left-{run}.xml"]
        (story.folder / paths[0]).write_text(text)
    story.job(run, None, paths=paths, **facts)


def two_pulls_fail(story: Story) -> None:
    story.commit("a", "m0", branch="topic-7", pr=7)
    story.commit("b", "m0", branch="topic-8", pr=8)
    story.pull(200, 8, "b", FAILS)
    story.pull(100, 7, "a", FAILS)


@pytest.mark.parametrize("text", [SHORT, CUT, "<html>503</html>"], ids=["incomplete", "cut", "refused"])
def test_a_base_that_may_have_passed_it_takes_the_excuse_away(story: Story, text: str) -> None:
    story.commit("m0")
    for run in range(10, 30):
        left(story, run, text)
    two_pulls_fail(story)
    story.ingest()
    verdict = said().of(100)
    assert call(verdict)[2] == "unknown"
    assert "nobody can say whether the base passed in 20 runs of main" in verdict["reasons"][0]["text"]


@pytest.mark.parametrize("text", [WHOLE, None], ids=["a whole file", "a job without tests"])
def test_a_base_that_did_not_run_it_proves_nothing_either_way(story: Story, text: str | None) -> None:
    story.commit("m0")
    for run in range(10, 30):
        left(story, run, text)
    two_pulls_fail(story)
    story.ingest()
    assert call(said().of(100))[2] == "not-yours"


def test_what_a_file_claims_and_does_not_list_is_said_at_once(story: Story) -> None:
    left(story, 1, SHORT)
    manifest, _ = story.write()
    said_at_once = invoke("ingest", "--manifest", str(manifest)).stderr
    assert "left-1.xml: the file claims 2 tests and lists 1; it counts as a gap" in said_at_once


@pytest.mark.parametrize(("text", "is_one"), [(WHOLE, True), (SHORT, False)], ids=["whole", "incomplete"])
def test_a_commit_of_main_that_may_have_passed_it_ends_the_streak(
    story: Story,
    text: str,
    is_one: bool,  # noqa: FBT001 - a case
) -> None:
    story.commit("m0")
    for run in range(1, 5):
        story.commit(f"m{run}", f"m{run - 1}")
        if run == 3:
            left(story, run, text, sha=sha("m3"))
        else:
            story.job(run, FAILS, sha=sha(f"m{run}"))
    story.ingest()
    assert (said().of(4)["kind"] == "broken-main") is is_one
