"""What every test shares: no settings of the person who runs them, and the stand-in GitHub."""

import os

import pytest

pytest_plugins = ["fixtures_github", "fixtures_app", "fixtures_postgres"]

OUTSIDE = ("FLAKE_TRIAGE_CORPUS", "FLAKE_TRIAGE_OPENAPI")
"""Folders of other projects' data that some tests read, and say so where they are absent."""


@pytest.fixture(autouse=True)
def _no_settings_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = [name for name in os.environ if name.startswith("FLAKE_TRIAGE_")]  # noqa: TID251 - to be wiped
    for name in set(ours) - set(OUTSIDE):
        monkeypatch.delenv(name)
