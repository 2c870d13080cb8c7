"""`watch`: one command from an empty folder to a verdict, against the stand-in, in real processes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fixtures_github import ManualClock
from scene import BASE, FAILING, ON_MAIN, PASSING, PULL, REPO, Ran, Scene
from typer.testing import CliRunner

from app.standin.server import StandIn
from worker import cli

JOB = "test (3.12)"
RED = Ran(JOB, (PASSING, FAILING))
GREEN = Ran(JOB, (PASSING,))
WITHIN_S = 100


@pytest.fixture
def github() -> Iterator[StandIn]:
    """A GitHub whose runs have ended within the last two hours, by the clock of the processes."""
    clock = ManualClock()
    clock.at = datetime.now(UTC) - timedelta(hours=2)  # noqa: TID251 - the processes read the real time
    with StandIn.start() as running:
        scene = Scene(running.state, clock)
        scene.run(1001, RED, event="pull_request")
        scene.run(1002, GREEN, head=BASE, branch="main")
        scene.run(1003, RED, head=ON_MAIN, branch="main")
        yield running


def environment(github: StandIn, *, token: bool = True, **more: str) -> dict[str, str]:
    named = {
        **more,
        "FLAKE_TRIAGE_GITHUB_API_URL": github.api_url,
        "FLAKE_TRIAGE_ALLOW_PRIVATE_DOWNLOADS": "true",
        "FLAKE_TRIAGE_ARTIFACT_WAIT_S": "0",
        **({"FLAKE_TRIAGE_GITHUB_TOKEN": github.state.token} if token else {}),
    }
    return {**os.environ, **named}  # noqa: TID251 - a child's environment is ours with the stand-in's address


def flake_triage(
    github: StandIn, folder: Path, *arguments: str, token: bool = True, **more: str
) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "worker", *arguments],
        cwd=folder,
        env=environment(github, token=token, **more),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def records(stdout: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stdout.splitlines()]


def test_one_command_leads_from_an_empty_folder_to_a_verdict(github: StandIn, tmp_path: Path) -> None:
    code, out, err = flake_triage(github, tmp_path, "watch", "ACME/gefen", "--once", "--json")
    assert code == 0, err
    told = records(out)
    assert told[0] == {
        "event": "look",
        "repo": REPO,
        "found": 3,
        "reading": 3,
        "unread": 0,
        "trouble": None,
        "reason": None,
    }
    assert {one["run"] for one in told if one["event"] == "run"} == {1001, 1002, 1003}
    verdicts = [one for one in told if one["event"] == "verdict" and one["run"] == 1001]
    assert {one["test"] for one in verdicts} == {FAILING.label}
    reports = {one["pull"] or one["branch"]: one for one in told if one["event"] == "report"}
    assert set(reports) == {PULL, "main"}
    assert "test_total_is_right" in reports[PULL]["body"]
    assert github.writes == []
    assert "Nothing is posted" in err

    assert "`FLAKE_TRIAGE_DATA_DIR=data/watch flake-triage verdicts --latest`" in err
    looking = {"FLAKE_TRIAGE_DATA_DIR": "data/watch"}
    code, out, _ = flake_triage(github, tmp_path, "reports", "--json", "--pull", str(PULL), **looking)
    (kept,) = records(out)
    assert (code, kept["posted"], kept["body"]) == (0, False, reports[PULL]["body"])

    code, out, err = flake_triage(github, tmp_path, "watch", REPO, "--once", "--json")
    assert code == 0, err
    assert {one["event"] for one in records(out)} == {"look"}, "nothing is told twice"


def test_a_service_of_the_same_settings_shares_nothing_with_it(github: StandIn, tmp_path: Path) -> None:
    """Neither its PostgreSQL, which would not even answer here, nor the files of its data folder."""
    service = {"FLAKE_TRIAGE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"}
    code, _, err = flake_triage(github, tmp_path, "watch", REPO, "--once", "--json", **service)
    assert code == 0, err
    assert "FLAKE_TRIAGE_DATABASE_URL is not used" in err
    assert "FLAKE_TRIAGE_DATA_DIR=data/watch FLAKE_TRIAGE_DATABASE_URL= flake-triage verdicts" in err
    assert [one.name for one in (tmp_path / "data").iterdir()] == ["watch"]
    looking = {"FLAKE_TRIAGE_DATA_DIR": "data/watch", "FLAKE_TRIAGE_DATABASE_URL": ""}
    code, out, _ = flake_triage(github, tmp_path, "verdicts", "--json", **looking)
    assert (code, {one["run"] for one in records(out)}) == (0, {1001, 1003})


def test_without_token_a_public_repository_is_told_by_job(github: StandIn, tmp_path: Path) -> None:
    code, out, err = flake_triage(
        github, tmp_path, "watch", REPO, "nobody/nothing", "--once", "--json", token=False
    )
    assert code == 0, err
    assert "60 requests an hour" in err
    told = records(out)
    looks = {one["repo"]: one for one in told if one["event"] == "look"}
    assert (looks[REPO]["reading"], looks["nobody/nothing"]["trouble"]) == (3, "gone")
    (verdict, *_) = [one for one in told if one["event"] == "verdict" and one["run"] == 1001]
    assert (verdict["test"], verdict["job"]) == (None, JOB)
    assert {"artifact-refused", "log-refused"} <= {gap["kind"] for gap in verdict["gaps"]}


def test_repository_that_is_not_there_ends_the_command(github: StandIn, tmp_path: Path) -> None:
    code, out, _ = flake_triage(github, tmp_path, "watch", "nobody/nothing")
    assert code == 3
    assert "misspelt" in out


@contextmanager
def watching(github: StandIn, folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "worker", "watch", REPO, "--json", *arguments],
        cwd=folder,
        env=environment(github),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()  # changes nothing for one that has ended


def await_news(process: subprocess.Popen[str], event: str, **facts: object) -> dict[str, Any]:
    assert process.stdout is not None
    for line in process.stdout:
        told: dict[str, Any] = json.loads(line)
        if told["event"] == event and facts.items() <= told.items():
            return told
    raise AssertionError(f"it ended without {event} {facts}")


@pytest.mark.accept
def test_watching_goes_on_until_it_is_told_to_end(github: StandIn, tmp_path: Path) -> None:
    with watching(github, tmp_path, "--interval", "10", "--comment", "--port", "0") as process:
        assert process.stderr is not None
        url = next(line.split()[4] for line in process.stderr if line.startswith("The dashboard is at"))
        assert await_news(process, "report", pull=PULL)["posted"]
        page = httpx.get(f"{url}/pulls/{REPO}/{PULL}").text.replace("<wbr>", "")
        assert "test_total_is_right" in page
        state, now = github.state, datetime.now(UTC)  # noqa: TID251 - as above
        assert len(state.talk.comments_on(state.repository(REPO), PULL)) == 1
        state.add_run(REPO, 1004, event="push", head_sha=BASE, head_branch="main", at=now)
        state.complete_run(1004, 1, "startup_failure", at=now)
        assert await_news(process, "run", run=1004)["conclusion"] == "startup_failure"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=WITHIN_S) == 0
    assert github.duplicate_effects == 0


HOSTILE = [
    "owner/../x",
    "../x",
    "./x",
    "owner/..",
    "owner/.",
    "owner",
    "a/b/c",
    "a b/c",
    "a/b?x=1",
    "a/b\n",
    "/x",
    "",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_name_of_a_repository_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "data"))
    result = CliRunner().invoke(cli.cli, ["watch", "--once", "--", name])
    assert result.exit_code == 2
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("since", ["2", "d", "0d", "36d", "900h", "-1d", "2 d", "soon"])
def test_since_takes_days_or_hours(since: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAKE_TRIAGE_DATA_DIR", str(tmp_path / "data"))
    result = CliRunner().invoke(cli.cli, ["watch", REPO, "--once", "--since", since])
    assert result.exit_code == 2
    assert not (tmp_path / "data").exists()
