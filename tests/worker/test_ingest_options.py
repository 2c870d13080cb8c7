"""`flake-triage ingest PATH...`: what may be left out, and that nothing is stored of what cannot be read."""

import json
from pathlib import Path

import pytest
from ingest_story import Story, invoke, json_lines, said, sha, story_in, traceback

from app.settings import Settings

RED = {"test_one": traceback("test_one"), "test_two": "passed"}
GREEN = {"test_one": "passed", "test_two": "passed"}


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    """Its data folder does not exist yet."""
    return story_in(tmp_path / "story", tmp_path / "fresh", monkeypatch)


def told(*also: str, run: int = 1, head: str = "m0") -> list[str]:
    """The shortest line that the README gives."""
    return ["--repo", "octo/lib", "--run", str(run), "--job", "test (3.12)", "--sha", sha(head), *also]


def test_the_shortest_line_is_enough(story: Story) -> None:
    red, green = (str(story.folder / story.junit(outcomes)) for outcomes in (RED, GREEN))
    assert json_lines(invoke("ingest", green, *told(run=1), "--json"))[0]["failures"] == 0
    assert json_lines(invoke("ingest", red, *told(run=2), "--json"))[0]["failures"] == 1
    assert said().of(2)["kind"] == "flaky", "it was told as the same workflow, a push and a failure"


def test_a_pull_request_is_an_event_of_its_own(story: Story) -> None:
    path = str(story.folder / story.junit(RED))
    json_lines(invoke("ingest", path, *told("--pr", "7", "--branch", "topic"), "--json"))
    assert [gap["kind"] for gap in said().of(1)["gaps"]] == ["tree-unknown"]


@pytest.mark.parametrize("option", ["path", "log"])
def test_a_mistyped_path_stores_nothing(story: Story, settings: Settings, option: str) -> None:
    good = str(story.folder / story.junit(RED))
    named = [good, "nosuch/"] if option == "path" else [good, "--log", "nosuch.log"]
    result = invoke("ingest", *named, *told("--conclusion", "failure"))
    assert result.exit_code == 2
    assert "nothing was stored: nosuch" in result.stderr
    assert "no such file or directory" in result.stderr
    assert not (settings.data_dir.parent / "fresh").exists()
    assert json_lines(invoke("ingest", good, *told(), "--json"))[0]["status"] == "new"


@pytest.mark.parametrize("short", ["b724b27", "main", "a" * 39, "a" * 63])
def test_a_short_sha_is_refused_and_explained(story: Story, short: str) -> None:
    path = str(story.folder / story.junit(RED))
    result = invoke("ingest", path, "--repo", "octo/lib", "--run", "1", "--job", "test", "--sha", short)
    assert result.exit_code == 2
    assert "--sha: must be a whole SHA, 40 or 64 hexadecimal digits" in result.stderr


def test_a_conclusion_is_asked_for_where_results_do_not_tell_it(story: Story) -> None:
    whole = story.folder / story.junit(GREEN)
    (story.folder / "cut.xml").write_text(whole.read_text()[:-20])
    (story.folder / "test_a.py").write_text("def test_one(): pass\n")
    claims = '<testsuite tests="1" failures="1"><testcase name="t"/></testsuite>'
    (story.folder / "claims.xml").write_text(claims)
    for name, why in (
        ("claims.xml", "claims.xml: the file claims 1 failures and lists 0"),
        ("cut.xml", "cut.xml: "),
        ("test_a.py", "test_a.py: no test could be read: no XML in it"),
    ):
        result = invoke("ingest", str(story.folder / name), *told())
        assert result.exit_code == 2
        assert "--conclusion: missing; the results do not tell the conclusion (" in result.stderr
        assert why in result.stderr
    assert json_lines(invoke("ingest", str(whole), *told(), "--json"))[0]["status"] == "new"


def test_a_job_that_is_known_is_said_to_be(story: Story) -> None:
    path = str(story.folder / story.junit(RED))
    assert "Brought in 1 attempt, 2 results" in invoke("ingest", path, *told()).stderr
    again = invoke("ingest", path, *told())
    assert "Brought in 0 attempts, 0 results" in again.stderr
    assert "1 attempt was already known (--replace takes them anew); 0 problems." in again.stderr


def test_a_known_job_that_is_told_otherwise_is_a_problem(story: Story) -> None:
    path = str(story.folder / story.junit(GREEN))
    invoke("ingest", path, *told())
    result = invoke("ingest", path, *told("--conclusion", "failure"), "--json")
    assert json.loads(result.stdout)["status"] == "known"
    assert "job test (3.12) is stored as success and stays so; --replace makes it failure" in result.stderr
    assert "1 problem." in result.stderr
