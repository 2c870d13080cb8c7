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

from app.github.client import GitHub, open_http
from app.github.credentials import PlainToken
from app.standin.server import StandIn

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
