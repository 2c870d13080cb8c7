"""`flake-triage verdicts`, `verdict show` and `groups`: their shapes, their order and their narrowing."""

import fcntl
import json
import os
import struct
import subprocess
import sys
import termios
from datetime import timedelta
from pathlib import Path

import pytest
from ingest_story import BOOM, START, Story, invoke, json_lines, sha, story_in, traceback
from sqlalchemy import update

from app.domain.errors import Gone
from app.domain.policy import VerdictPolicy
from app.settings import Settings
from app.store import group_list, verdict_list
from app.store.session import open_engine, read_only, unit_of_work
from app.store.verdicts import VerdictRow
from worker.commands.tables import laid_out

RED = {"test_one": traceback("test_one"), "test_two": "passed"}
GREEN = {"test_one": "passed", "test_two": "passed"}


@pytest.fixture
def story(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Story:
    """A failure that its re-run proves flaky, and another one that stays."""
    found = story_in(tmp_path / "story", settings.data_dir, monkeypatch)
    found.pull(1, 7, "a1", RED)
    found.pull(1, 7, "a1", GREEN, attempt=2)
    found.job(2, {"test_two": traceback("test_two", "KeyError: 'x'")}, repo="octo/other")
    found.ingest()
    return found


def test_a_verdict_has_the_shape_that_scripts_read(story: Story) -> None:
    first, *_ = json_lines(invoke("verdicts", "--json"))
    assert list(first) == [
        "id",
        "failure",
        "repo",
        "run",
        "attempt",
        "job",
        "test",
        "kind",
        "strength",
        "whose",
        "group",
        "cause",
        "reasons",
        "gaps",
        "at",
    ]
    assert first["test"] == "tests.test_a::test_one"
    assert first["at"] == (START + timedelta(minutes=1)).isoformat()
    assert first["cause"] is None
    assert {frozenset(reason) for reason in first["reasons"]} == {
        frozenset({"kind", "strength", "text", "runs"})
    }
    assert len(story.entries) == 3


@pytest.mark.usefixtures("story")
def test_each_change_of_mind_is_a_verdict_of_its_own_oldest_first() -> None:
    found = json_lines(invoke("verdicts", "--json"))
    assert [(one["run"], one["kind"]) for one in found] == [
        (1, "new-failure"),
        (1, "flaky"),
        (2, "new-failure"),
    ]
    assert [one["at"] for one in found] == sorted(one["at"] for one in found)
    assert found[0]["failure"] == found[1]["failure"]


@pytest.mark.usefixtures("story")
def test_latest_leaves_only_the_newest_verdict_on_each_failure() -> None:
    found = json_lines(invoke("verdicts", "--latest", "--json"))
    assert [(one["run"], one["kind"]) for one in found] == [(1, "flaky"), (2, "new-failure")]


@pytest.mark.usefixtures("story")
def test_verdicts_are_narrowed_by_repository_and_time() -> None:
    assert [one["run"] for one in json_lines(invoke("verdicts", "--repo", "OCTO/Other", "--json"))] == [2]
    after = (START + timedelta(minutes=2)).isoformat()
    assert [one["run"] for one in json_lines(invoke("verdicts", "--since", after, "--json"))] == [1, 2]
    assert len(json_lines(invoke("verdicts", "--since", "2026-11-01", "--json"))) == 3
    assert json_lines(invoke("verdicts", "--since", "2027-01-01", "--json")) == []
    assert json_lines(invoke("verdicts", "--since", "0d", "--json")) == []
    assert len(json_lines(invoke("verdicts", "--since", "99999d", "--json"))) == 3


@pytest.mark.usefixtures("story")
@pytest.mark.parametrize("since", ["yesterday", "7w", "2026-13-01"])
def test_a_since_that_is_no_time_is_wrong_use(since: str) -> None:
    assert invoke("verdicts", "--since", since).exit_code == 2


@pytest.mark.usefixtures("story")
def test_an_unknown_repository_is_told() -> None:
    assert isinstance(invoke("verdicts", "--repo", "octo/nothing").exception, Gone)


def test_reading_makes_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "nothing"))
    assert isinstance(invoke("verdicts").exception, Gone)
    assert not (tmp_path / "nothing").exists()


@pytest.mark.usefixtures("story")
def test_people_read_verdicts_in_the_words_that_scripts_read() -> None:
    head, first, second, _ = invoke("verdicts").stdout.splitlines()
    assert head.split() == ["id", "when", "(UTC)", "test", "kind", "strength", "whose", "run", "job"]
    assert first.split()[3:6] == ["tests.test_a::test_one", "new-failure", "suspected"]
    assert second.split()[3:6] == ["tests.test_a::test_one", "flaky", "likely"]


@pytest.mark.usefixtures("story")
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_a_narrow_terminal_shows_each_tests_whole_name() -> None:
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "60"}  # noqa: TID251 - the child needs PATH
    command = [sys.executable, "-m", "worker", "verdicts"]
    ended = subprocess.run(
        command, stdout=theirs, stderr=subprocess.PIPE, env=environment, timeout=60, check=True
    )
    os.close(theirs)
    shown = os.read(ours, 100_000).decode().splitlines()
    os.close(ours)
    assert ended.stderr == b""
    assert shown[0].split() == ["id", "test"]
    assert shown[2].split() == ["1", "tests.test_a::test_one"]
    assert "new-failure" in shown[3]


def test_rows_that_do_not_fit_take_two_lines_and_lose_nothing() -> None:
    columns, rows = ("id", "name", "count"), [("7", "a::b" * 10, "1,000"), ("12", "短い", "2")]
    assert list(laid_out(columns, rows, name=1, width=80)) == [
        f"id  {'name':40}  count",
        f" 7  {'a::b' * 10}  1,000",
        f"12  短い{' ' * 36}      2",
    ]
    assert list(laid_out(columns, rows, name=1, width=20)) == [
        "id  name",
        "    count",
        f" 7  {'a::b' * 10}",
        "    1,000",
        "12  短い",
        "        2",
    ]


def test_pages_join_without_loss_or_repetition(story: Story, settings: Settings) -> None:
    for number in range(5):
        story.job(number + 10, RED, sha=sha(f"x{number}"))
    story.ingest()
    store = open_engine(settings.app_database_url)
    with read_only(store) as session:
        verdicts = list(verdict_list.listed(session))
        assert list(verdict_list.listed(session, page_rows=2)) == verdicts
        groups = list(group_list.listed(session))
        assert list(group_list.listed(session, page_rows=1)) == groups
    store.dispose()
    assert len({one.id for one in verdicts}) == len(verdicts) > 5
    assert len(groups) == 2


@pytest.mark.usefixtures("story")
def test_a_verdict_is_shown_with_its_reasons_and_gaps() -> None:
    newest = json_lines(invoke("verdicts", "--latest", "--json"))[0]
    shown = invoke("verdict", "show", str(newest["id"])).stdout
    assert "kind: flaky, strength: likely, whose: unknown, cause: not known" in shown
    assert "judged on what was known at 2026-11-01 08:02 UTC, by version " in shown
    assert f"Failure: {BOOM}" in shown
    assert "  | pkg/shapes.py:7: ValueError" in shown
    assert newest["reasons"][0]["text"] in shown
    told = json_lines(invoke("verdict", "show", str(newest["id"]), "--json"))
    assert told == [newest | {"policy": VerdictPolicy().version, "message": BOOM, "text": told[0]["text"]}]
    assert list(told[0])[-2:] == ["message", "text"]
    assert told[0]["text"] == traceback("test_one")


def test_only_the_end_of_a_long_failure_is_shown(story: Story) -> None:
    lines = "".join(f"line {number}\n" for number in range(100))
    story.job(9, {"test_long": f"{lines}{traceback('test_long')}"}, repo="octo/third")
    story.ingest()
    newest = json_lines(invoke("verdicts", "--repo", "octo/third", "--json"))[0]
    shown = invoke("verdict", "show", str(newest["id"])).stdout
    assert "lines before these; --json has all)" in shown
    assert "line 99" in shown
    assert "line 9\n" not in shown


@pytest.mark.usefixtures("story")
def test_every_verdict_is_computed_again_from_its_stored_facts() -> None:
    for one in json_lines(invoke("verdicts", "--json")):
        told = json_lines(invoke("verdict", "show", str(one["id"]), "--recompute", "--json"))
        assert told[0]["same"] is True
        assert told[0]["recomputed"]["kind"] == one["kind"]
    result = invoke("verdict", "show", "1", "--recompute")
    assert "from the stored facts: the same" in result.stdout


@pytest.mark.usefixtures("story")
def test_a_verdict_that_would_differ_today_gives_exit_code_1(settings: Settings) -> None:
    change(settings, strength="confirmed", kind="regression", evidence=[])
    result = invoke("verdict", "show", "1", "--recompute")
    assert result.exit_code == 1
    assert "the stored facts: kind: new-failure" in result.stdout
    assert "now also: " in result.stdout
    told = invoke("verdict", "show", "1", "--recompute", "--json")
    assert told.exit_code == 1
    assert json.loads(told.stdout)["same"] is False


@pytest.mark.usefixtures("story")
def test_facts_of_another_version_are_told_apart_from_a_difference(settings: Settings) -> None:
    change(settings, facts={"schema": "other"})
    assert isinstance(invoke("verdict", "show", "1", "--recompute").exception, Gone)


@pytest.mark.usefixtures("story")
def test_a_verdict_that_is_not_there_is_told() -> None:
    assert isinstance(invoke("verdict", "show", "999").exception, Gone)


@pytest.mark.usefixtures("story")
def test_a_group_says_what_is_thought_of_it() -> None:
    found = json_lines(invoke("groups", "--repo", "octo/lib", "--json"))
    assert found == [
        {
            "group": found[0]["group"],
            "test": "tests.test_a::test_one",
            "category": "exception",
            "first_seen": (START + timedelta(minutes=1)).isoformat(),
            "last_seen": (START + timedelta(minutes=1)).isoformat(),
            "failures": 1,
            "state": "flaky",
            "title": found[0]["title"],
        }
    ]
    assert "ValueError: shape" in found[0]["title"]
    shown = invoke("groups").stdout
    assert "failing" in shown
    assert "ValueError: shape" in shown


def test_a_group_of_several_parameters_bears_none_of_them(story: Story) -> None:
    for number in (1, 2):
        name = f"test_reg[{number}]"
        story.job(40 + number, {name: traceback("test_reg")}, repo="octo/third", sha=sha(f"p{number}"))
        story.ingest()
        newest = json_lines(invoke("groups", "--repo", "octo/third", "--json"))
        named = "tests.test_a::test_reg[1]" if number == 1 else "tests.test_a::test_reg[...]"
        assert [(one["test"], one["failures"]) for one in newest] == [(named, number)]


def test_a_suspected_flake_makes_a_suspect_group(story: Story) -> None:
    failing = {"test_three": traceback("test_three")}
    story.pull(20, 8, "b1", failing)
    story.job(21, {"test_three": "passed"}, sha=sha("b1"), branch="topic-8", tree=sha("other"))
    story.ingest()
    newest = json_lines(invoke("groups", "--json"))[0]
    assert (newest["test"], newest["state"]) == ("tests.test_a::test_three", "suspect")


def test_nothing_to_list_is_said(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(settings.data_dir))
    assert "No verdicts." in invoke("verdicts").stderr
    assert "No groups." in invoke("groups").stderr


def test_control_characters_of_a_name_do_not_reach_the_terminal(story: Story) -> None:
    story.job(30, RED, repo="octo/third", job="test \x1b[2J\u202e", variant="v")
    story.ingest()
    for command in ("verdicts", "groups"):
        shown = invoke(command).stdout
        assert "\x1b[2J" not in shown
        assert "\u202e" not in shown


def change(settings: Settings, **values: object) -> None:
    """Make the first verdict another one, as an older version might have left it."""
    store = open_engine(settings.app_database_url)
    with unit_of_work(store) as session:
        session.execute(update(VerdictRow).where(VerdictRow.id == 1).values(**values))
    store.dispose()
