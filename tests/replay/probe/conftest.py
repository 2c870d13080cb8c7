"""The probe laid out for one test, and the Pythons that it must ride in."""

from pathlib import Path

import pytest
from probed import Tools, pythons


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every Python from 3.9 to 3.13 that is here; one that is absent is no test."""
    if "python" in metafunc.fixturenames:
        found = pythons()
        metafunc.parametrize("python", found, ids=[Path(one).resolve().name for one in found])
