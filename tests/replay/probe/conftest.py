"""The probe laid out for one test, and the Pythons that it must ride in."""

from pathlib import Path

import pytest
from probed import Tools, pythons


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every Python from 3.9 to 3.13 that is here: oldest and newest in every change, all to accept."""
    if "python" in metafunc.fixturenames:
        found = pythons()
        metafunc.parametrize(
            "python",
            [
                pytest.param(
                    one,
                    id=Path(one).resolve().name,
                    marks=() if one in {found[0], found[-1]} else (pytest.mark.accept,),
                )
                for one in found
            ],
        )
