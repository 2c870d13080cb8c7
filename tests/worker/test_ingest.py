"""`flake-triage ingest`: what is taken, what is told, what is passed over, and that twice is once."""

import itertools
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from ingest_story import Story, invoke, json_lines, said, sha, story_in, traceback
from sqlalchemy import event, text

from app.domain.policy import VerdictPolicy
from app.settings import Settings
from app.store.schema import METADATA
from app.store.session import open_engine, read_only
from worker.ingest.load import Loader
from worker.ingest.manifest import Entry, read_manifest
from worker.ingest.timeline import units

RED = {"test_one": traceback("test_one"), "test_two": "passed"}
GREEN = {"test_one": "passed", "test_two": "passed"}


@pytest.fixture
def story(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Story:
    return story_in(tmp_path / "story", settings.data_dir, monkeypatch)


def contents(settings: Settings) -> dict[str, list[Any]]:
    """Every row of every table."""
    store = open_engine(settings.app_database_url)
    with read_only(store) as session:
        found = {
            name: sorted(map(repr, session.execute(text(f'SELECT * FROM "{name}"'))))
            for name in METADATA["app"].tables
        }
    store.dispose()
    return found


def one_job(story: Story, *paths: str, **options: str) -> list[str]:
    told = {
        "repo": "octo/lib",
        "workflow": "ci",
        "run": "5",
        "event": "push",
        "sha": sha("m0"),
        "branch": "main",
        "job": "test (3.12)",
        "started-at": "2026-11-01T08:00:00Z",
        "conclusion": "failure",
    } | options
    flags = [word for name, value in told.items() for word in (f"--{name}", value)]
    return ["ingest", *(str(story.folder / path) for path in paths), *flags]


def test_one_job_is_taken_from_the_options(story: Story) -> None:
    told = json_lines(invoke(*one_job(story, story.junit(RED)), "--json"))
    counts = {"jobs": 1, "results": 2, "failures": 1, "gaps": 0}
    assert told == [{"repo": "octo/lib", "run": 5, "attempt": 1} | counts | {"status": "new"}]
    assert said().of(5)["job"] == "test (3.12)"


def test_people_see_a_table(story: Story) -> None:
    result = invoke(*one_job(story, story.junit(RED)))
    assert result.exit_code == 0
    assert "octo/lib" in result.stdout
    assert "Brought in 1 attempt, 2 results, 0 commits; 0 problems." in result.stderr


def test_parents_may_be_repeated_or_joined_by_commas(story: Story) -> None:
    joined = f"{sha('m0')},{sha('a1')}"
    facts = {"event": "pull_request", "sha": sha("a1"), "pr": "7", "base-sha": sha("m0"), "parents": joined}
    json_lines(invoke(*one_job(story, story.junit(RED), **facts), "--json"))
    again = one_job(story, story.junit(GREEN), **(facts | {"run": "6", "parents": sha("m0")}))
    json_lines(invoke(*again, "--parents", sha("a1"), "--json"))
    assert said().of(5)["kind"] == "flaky"


def test_a_folder_gives_its_results_and_its_ranks_logs(story: Story) -> None:
    folder = story.folder / "reports" / "deep"
    folder.mkdir(parents=True)
    (story.folder / story.junit(RED)).rename(folder / "junit.xml")
    (folder / "notes.txt").write_text("nothing of ours")
    (folder / "rank1.log").write_text(
        "Traceback (most recent call last):\n  File x\nRuntimeError: rank 1 died\n"
    )
    json_lines(invoke(*one_job(story, "reports"), "--json"))
    assert any("rank 1 died" in reason["text"] for reason in said().of(5)["reasons"])


def test_the_log_of_a_red_job_tells_what_no_file_does(story: Story) -> None:
    (story.folder / "job.log").write_text("##[error]The runner has received a shutdown signal.\n")
    json_lines(invoke(*one_job(story, log=str(story.folder / "job.log")), "--json"))
    assert said().of(5, None)["kind"] == "infrastructure"


def test_a_pull_requests_log_tells_which_merge_was_tested(story: Story) -> None:
    head, base, merge = sha("a1"), sha("m0"), sha("merge")
    lines = (
        "##[group]Run actions/checkout@v4",
        "Syncing repository: octo/lib",
        "[command]/usr/bin/git checkout --progress --force refs/remotes/pull/7/merge",
        f"HEAD is now at {merge[:7]} Merge {head} into {base}",
        "[command]/usr/bin/git log -1 --format='%H'",
        f"'{merge}'",
        "##[group]Run pytest",
    )
    (story.folder / "job.log").write_text("".join(f"{line}\n" for line in lines))
    story.commit("m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.pull(1, 7, "a1", RED, tree=None, log="job.log")
    story.pull(2, 7, "a1", GREEN, tree=None, log="job.log")
    story.ingest()
    assert (said().of(1)["kind"], said().of(1)["strength"]) == ("flaky", "likely")


def test_ingesting_the_same_manifest_twice_changes_nothing(story: Story, settings: Settings) -> None:
    story.commit("m0")
    story.commit("a1", "m0", branch="topic-7", pr=7)
    story.job(1, RED)
    story.pull(2, 7, "a1", RED)
    story.job(3, None, paths=["nowhere.xml"], conclusion="failure", sha=sha("m1"))
    story.pull(2, 7, "a1", GREEN, attempt=2)
    story.commit("m1", "m0", pr=7)
    first = story.ingest()
    before = contents(settings)
    assert {unit["status"] for unit in first} == {"new"}
    assert story.ingest() == [unit | {"status": "known"} for unit in first]
    assert contents(settings) == before


@pytest.mark.parametrize("commit", range(1, 11))
def test_an_ingest_that_dies_at_any_commit_is_completed_by_the_next(
    story: Story, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commit: int
) -> None:
    story.job(1, RED, parents=[])
    story.job(2, RED, sha=sha("m1"))
    whole = tmp_path / "whole"
    shutil.copytree(settings.data_dir, whole)
    assert dies_at(story, settings, commit)
    story.ingest()
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(whole))
    story.ingest()
    assert contents(settings) == contents(settings.model_copy(update={"data_dir": whole}))


def dies_at(story: Story, settings: Settings, commit: int) -> bool:
    """Load the story until the given commit, which fails as if the process had been killed before it."""
    store = open_engine(settings.app_database_url)
    left = itertools.count(commit, -1)

    @event.listens_for(store, "commit")
    def fail(_connection: object) -> None:
        if next(left) == 1:
            raise KeyboardInterrupt

    manifest, _ = story.write()
    loader = Loader(store, VerdictPolicy(), settings.github_url, None, pytest.fail)
    try:
        for unit in units((one for one in read_manifest(manifest) if isinstance(one, Entry)), []):
            loader.load(unit)
    except KeyboardInterrupt:
        return True
    finally:
        store.dispose()
    return False


def test_jobs_of_one_attempt_that_follow_each_other_are_one_unit(story: Story) -> None:
    for variant in ("test (3.11)", "test (3.12)"):
        story.job(1, GREEN, job=variant, variant=variant)
    assert [unit["jobs"] for unit in story.ingest()] == [2]


def test_an_attempt_that_comes_in_pieces_ends_as_red_as_its_worst_job(
    story: Story, settings: Settings
) -> None:
    story.job(1, RED, job="a", variant="a")
    story.job(2, GREEN, sha=sha("m1"))
    story.job(1, GREEN, job="b", variant="b")
    assert [(unit["run"], unit["results"]) for unit in story.ingest()] == [(1, 2), (2, 2), (1, 2)]
    conclusions = [row for row in contents(settings)["attempts"] if "'failure'" in row]
    assert len(conclusions) == 1


def test_an_attempt_with_a_cancelled_job_is_no_success(story: Story, settings: Settings) -> None:
    story.job(1, GREEN, job="a", variant="a")
    story.job(1, None, job="b", variant="b", conclusion="cancelled")
    story.job(2, GREEN, sha=sha("m1"))
    story.job(1, GREEN, job="c", variant="c")
    story.ingest()
    assert [("'cancelled'" in row) for row in contents(settings)["attempts"]].count(True) == 1


def test_jobs_of_one_name_are_told_apart_by_variant_and_shard(story: Story) -> None:
    story.job(1, GREEN, job="test", variant="py3.11")
    story.job(1, RED, job="test", variant="py3.12", shard="1/2")
    story.job(1, GREEN, job="test", variant="py3.12", shard=2)
    assert [(unit["jobs"], unit["results"]) for unit in story.ingest()] == [(3, 6)]


def test_one_job_may_be_told_by_several_lines(story: Story) -> None:
    story.job(1, GREEN)
    story.job(1, {"test_three": traceback("test_three")})
    assert [(unit["jobs"], unit["results"], unit["failures"]) for unit in story.ingest()] == [(1, 3, 1)]


def test_history_from_files_goes_on_under_githubs_own_ids(story: Story, settings: Settings) -> None:
    story.job(1, GREEN)
    story.ingest()
    story.entries.clear()
    story.job(1, GREEN, job_id=77)
    assert [unit["results"] for unit in story.ingest()] == [2]
    assert len(contents(settings)["jobs"]) == 1


BAD_LINES = [
    pytest.param("{", "not JSON", id="not JSON"),
    pytest.param("[1]", "not a JSON object", id="no object"),
    pytest.param("[" * 100_000, "not JSON", id="too deep"),
    pytest.param({"run": None}, "field run: missing", id="no run"),
    pytest.param(
        {"run": None, "job": "", "sha": None}, "fields run, sha, job: missing", id="all that lacks at once"
    ),
    pytest.param({"sha": "b724b27"}, "field sha: must be a whole SHA", id="short sha"),
    pytest.param({"tree": "b724b27"}, "field tree: must be a whole SHA", id="short tree"),
    pytest.param({"sha": "a" * 41}, "field sha: must be a whole SHA", id="long sha"),
    pytest.param({"run": "5x"}, "field run: must be a whole number above 0", id="bad run"),
    pytest.param({"run": True}, "field run: must be a whole number above 0", id="boolean run"),
    pytest.param({"run": 2**63}, "field run: must be a whole number above 0", id="huge run"),
    pytest.param({"repo": "lib"}, "field repo: must be owner/name", id="bad repo"),
    pytest.param({"sha": "main"}, "field sha: must be", id="no sha"),
    pytest.param({"parents": ["x"]}, "field parents: must be", id="bad parents"),
    pytest.param({"parents": {"a": 1}}, "field parents: must be a list", id="parents no list"),
    pytest.param(
        {"started_at": "2026-11-01T08:00:00"}, "field started_at: a time needs its zone", id="no zone"
    ),
    pytest.param({"started_at": "yesterday"}, "field started_at: must be a time", id="no time"),
    pytest.param({"started_at": ""}, "field started_at: missing", id="empty time"),
    pytest.param(
        {"started_at": "0001-01-01T00:00:00Z"}, "field started_at: must be a time from 2000", id="year 1"
    ),
    pytest.param(
        {"completed_at": "9999-12-31T23:59:59-14:00"}, "field completed_at: must be a time", id="year 9999"
    ),
    pytest.param({"conclusion": "green"}, "field conclusion: must be one of", id="bad conclusion"),
    pytest.param({"job": 7}, "field job: must be a text", id="job no text"),
    pytest.param({"job": "a\0b"}, "field job: holds characters", id="NUL"),
    pytest.param({"job": "\ud800"}, "field job: holds characters", id="half a character"),
    pytest.param({"job": "x" * 5000}, "field job: must be a text of at most", id="long text"),
    pytest.param({"note": "x" * 1_100_000}, "longer than 1048576 bytes", id="long line"),
]


@pytest.mark.parametrize(("bad", "words"), BAD_LINES)
def test_a_bad_line_is_told_with_its_place_and_the_rest_goes_on(story: Story, bad: Any, words: str) -> None:
    good = story.job(1, GREEN)
    line = bad if isinstance(bad, str) else json.dumps(good | bad)
    manifest, _ = story.write()
    manifest.write_text(f"\n{line}\n{json.dumps(good)}\n")
    result = invoke("ingest", "--manifest", str(manifest), "--json")
    assert [unit["run"] for unit in json_lines(result)] == [1]
    assert f"{manifest}, line 2" in result.stderr
    assert words in result.stderr
    assert "1 problem." in result.stderr


def test_a_manifest_of_bad_lines_alone_gives_exit_code_3(story: Story) -> None:
    manifest, _ = story.write()
    manifest.write_text("{}\n")
    assert invoke("ingest", "--manifest", str(manifest)).exit_code == 3


def test_a_missing_file_is_told_and_a_gap_and_never_a_pass(story: Story) -> None:
    story.job(1, GREEN)
    story.job(2, None, paths=["nowhere.xml"], conclusion="failure", sha=sha("m1"))
    manifest, _ = story.write()
    result = invoke("ingest", "--manifest", str(manifest), "--json")
    assert [(unit["failures"], unit["gaps"] > 0) for unit in json_lines(result)] == [(0, False), (1, True)]
    assert f"{manifest}, line 2, field paths: nowhere.xml" in result.stderr
    assert "nowhere.xml" in {gap["subject"] for gap in said().of(2, None)["gaps"]}


def test_a_missing_log_is_told_and_a_gap(story: Story) -> None:
    story.job(1, RED, log="nowhere.log")
    manifest, _ = story.write()
    result = invoke("ingest", "--manifest", str(manifest), "--json")
    assert [unit["gaps"] for unit in json_lines(result)] == [1]
    assert "line 1, field log: nowhere.log" in result.stderr


def test_nothing_but_missing_files_gives_exit_code_3(story: Story) -> None:
    story.job(1, None, paths=["nowhere.xml"], conclusion="failure")
    manifest, _ = story.write()
    assert invoke("ingest", "--manifest", str(manifest)).exit_code == 3


def test_a_pipe_is_not_waited_for(story: Story) -> None:
    os.mkfifo(story.folder / "pipe.xml")
    story.job(1, None, paths=["pipe.xml"], conclusion="failure")
    manifest, _ = story.write()
    result = invoke("ingest", "--manifest", str(manifest))
    assert result.exit_code == 3
    assert "not a regular file" in result.stderr


def test_an_unreadable_results_file_is_a_problem_and_a_gap(story: Story) -> None:
    (story.folder / "page.xml").write_text("<html><body>Sign in</body></html>")
    result = invoke(*one_job(story, "page.xml"), "--json")
    assert result.exit_code == 3, "nothing could be read"
    assert [json.loads(line)["gaps"] for line in result.stdout.splitlines()] == [2]
    assert "page.xml: an HTML page, not a results file; it counts as a gap" in result.stderr
    assert "1 problem." in result.stderr


def test_a_truncated_results_file_is_a_problem_though_its_results_are_taken(story: Story) -> None:
    whole = story.folder / story.junit(RED)
    whole.write_text(whole.read_text()[:-20])
    result = invoke(*one_job(story, whole.name), "--json")
    assert [unit["results"] for unit in json_lines(result)] == [2]
    assert f"{whole}: " in result.stderr
    assert "1 problem." in result.stderr


def test_a_folder_without_results_is_a_problem(story: Story) -> None:
    (story.folder / "empty").mkdir()
    result = invoke(*one_job(story, "empty"))
    assert result.exit_code == 3
    assert "empty: the folder holds no results; it counts as a gap" in result.stderr


def test_a_long_log_is_cut_and_marked(story: Story) -> None:
    (story.folder / "job.log").write_bytes(b"x" * (17 * 1024 * 1024) + b"\n##[error]The end.\n")
    json_lines(invoke(*one_job(story, log=str(story.folder / "job.log")), "--json"))
    gaps = {gap["kind"] for gap in said().of(5, None)["gaps"]}
    assert "log-cut" in gaps


def test_a_run_cannot_have_two_heads(story: Story) -> None:
    story.job(1, GREEN)
    story.job(1, RED, sha=sha("m1"))
    story.job(2, GREEN, sha=sha("m1"))
    story.job(1, RED, event="schedule")
    manifest, _ = story.write()
    result = invoke("ingest", "--manifest", str(manifest), "--json")
    assert [(unit["run"], unit["failures"]) for unit in json_lines(result)] == [(1, 0), (2, 0)]
    assert "line 2, field run: run 1 is known as a push of" in result.stderr
    assert "line 4, field run" in result.stderr


def test_commits_alone_are_stored(story: Story, settings: Settings) -> None:
    story.commit("m0")
    story.commits.append({"sha": "nonsense"})
    _, commits = story.write()
    result = invoke("ingest", "--commits", str(commits), "--repo", "octo/lib")
    assert result.exit_code == 0
    assert f"{commits}, line 2, field sha" in result.stderr
    assert len(contents(settings)["commits"]) == 1


def test_commits_of_a_manifest_of_several_repositories_need_a_repo(story: Story) -> None:
    story.job(1, GREEN)
    story.job(2, GREEN, repo="octo/other")
    story.commit("m0")
    manifest, commits = story.write()
    files = ("--manifest", str(manifest), "--commits", str(commits))
    assert invoke("ingest", *files).exit_code == 2
    assert invoke("ingest", *files, "--repo", "octo/lib").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param([], id="nothing"),
        pytest.param(["--json"], id="nothing to take"),
        pytest.param(["a.xml"], id="no facts"),
        pytest.param(["a.xml", "--manifest", "{manifest}"], id="files and a manifest"),
        pytest.param(["--manifest", "nowhere.jsonl"], id="no such manifest"),
        pytest.param(["--commits", "{commits}"], id="commits of no repository"),
        pytest.param(["a.xml", "--run", "0"], id="run 0"),
        pytest.param(["--frobnicate"], id="unknown option"),
    ],
)
def test_wrong_use_gives_exit_code_2(story: Story, arguments: list[str]) -> None:
    story.commit("m0")
    manifest, commits = story.write()
    words = [word.format(manifest=manifest, commits=commits) for word in arguments]
    assert invoke("ingest", *words).exit_code == 2


def test_all_missing_options_are_named_at_once(story: Story) -> None:
    result = invoke("ingest", str(story.folder / story.junit(RED)), "--repo", "octo/lib")
    assert result.exit_code == 2
    assert "--run, --sha, --job: missing" in result.stderr


def test_another_default_branch_is_judged_as_main(story: Story) -> None:
    for number in range(3):
        story.job(number + 1, RED, sha=sha(f"m{number}"), branch="trunk")
    manifest, _ = story.write()
    json_lines(invoke("ingest", "--manifest", str(manifest), "--default-branch", "trunk", "--json"))
    assert said().of(3)["kind"] == "broken-main"


def test_nothing_that_is_ingested_is_ever_reported(story: Story, settings: Settings) -> None:
    story.job(1, RED)
    story.pull(2, 7, "a1", RED)
    story.ingest()
    stored = contents(settings)
    assert stored["outbox"] == []
    assert stored["tasks"] == []
