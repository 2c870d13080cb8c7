"""An empty project for each test of trials."""

from pathlib import Path

import pytest
from running import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name in ("project", "trials"):
        (tmp_path / name).mkdir()
    return Project(tmp_path / "project", tmp_path / "trials")
