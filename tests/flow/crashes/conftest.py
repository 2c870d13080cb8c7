"""Where processes are born for the crash tests, and the undisturbed play; one for all that are on SQLite."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from killing import Ground, Undisturbed, as_undisturbed, on_sqlite, undisturbed
from nursery import Nursery
from sharing import Share


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    with Nursery.open() as opened:
        yield opened


@pytest.fixture(scope="session")
def ground(migrated: Path) -> Ground:
    return on_sqlite(migrated)


@pytest.fixture(scope="session")
def quiet(
    share: Share, nursery: Nursery, ground: Ground, tmp_path_factory: pytest.TempPathFactory
) -> Undisturbed:
    folder = tmp_path_factory.mktemp("quiet") / "data"
    return as_undisturbed(share("crashes", "sqlite", lambda: undisturbed(nursery, ground, folder)))
