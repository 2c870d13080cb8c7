"""Fixtures around the stand-in GitHub: a running one with its contract on, and our client speaking to it.

GitHub's description is looked for in FLAKE_TRIAGE_OPENAPI, else beside the repository; without it the
stand-in serves unchecked, and tests of the check itself are skipped.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.domain.ids import RepoName, Sha
from app.github.client import GitHub, open_http
from app.github.credentials import PlainToken
from app.standin.server import StandIn
from app.standin.state import State

NEAR = Path(__file__).parents[2] / "shared" / "github" / "rest-subset.openapi.json"


class ManualClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 30, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def advance(self, *, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@pytest.fixture(scope="session")
def openapi() -> Path | None:
    path = Path(os.environ.get("FLAKE_TRIAGE_OPENAPI", NEAR))  # noqa: TID251 - a switch of the tests alone
    return path if path.is_file() else None


@pytest.fixture
def github_clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def stand_in(openapi: Path | None, github_clock: ManualClock) -> Iterator[StandIn]:
    """A running stand-in; the test fails where a request or an answer was not as GitHub describes it."""
    with StandIn.start(clock=github_clock, openapi=openapi) as running:
        yield running
    assert running.violations == []


@pytest.fixture
def github(stand_in: StandIn, github_clock: ManualClock) -> Iterator[GitHub]:
    """Our client with the stand-in's token."""
    with open_http(timeout_s=5) as http:
        yield GitHub(
            http,
            PlainToken(SecretStr(stand_in.state.token)),
            api_url=stand_in.api_url,
            allow_private_downloads=True,
            clock=github_clock,
        )


REPO = RepoName("acme/gefen")
BASE, HEAD, MAIN = Sha("a" * 40), Sha("b" * 40), Sha("d" * 40)


@pytest.fixture
def story(stand_in: StandIn, github_clock: ManualClock) -> State:
    """One repository with a pull request, whose run 1001 failed in job 5550 and left artifact `junit`.

    `main` moved on since the pull request's branch left it.
    """
    state, at = stand_in.state, github_clock.now()
    state.add_repository(REPO, 42)
    state.add_commit(REPO, BASE, "1" * 40, (), "Begin", at=at - timedelta(hours=3))
    state.add_commit(
        REPO, HEAD, "2" * 40, (BASE,), "Mend it\n\nAt length.", "ann", at=at - timedelta(hours=2)
    )
    state.add_commit(REPO, MAIN, "3" * 40, (BASE,), "Go on", "bob", at=at - timedelta(hours=1))
    state.set_branch(REPO, "main", MAIN)
    state.set_branch(REPO, "fix/it", HEAD)
    state.add_pull(REPO, 87, "fix/it", HEAD, "main", "Mend it", "ann", at=at)
    state.add_run(
        REPO, 1001, event="pull_request", head_sha=HEAD, head_branch="fix/it", at=at, pulls=(87,), actor="ann"
    )
    done = at + timedelta(minutes=5)
    state.add_job(
        REPO,
        1001,
        1,
        5550,
        "test (3.12)",
        "failure",
        started_at=at,
        completed_at=done,
        log=b"2026-11-30T12:00:00.0000000Z hello\n",
        failed_step="Run pytest",
    )
    state.add_artifact(REPO, 1001, "junit", {"junit.xml": b"<testsuite/>"}, created_at=done)
    state.complete_run(1001, 1, "failure", at=done)
    return state
