"""The same on PostgreSQL, at every third point (`make accept ONLY=crashes-postgres`)."""

from pathlib import Path

import pytest
from fixtures_postgres import Server
from killing import Ground, Undisturbed, as_undisturbed, kill_at, on_postgres, undisturbed
from nursery import Nursery
from points import missing
from sharing import Share

PARTS, SHARE = 8, 3


@pytest.fixture(scope="session")
def ground(postgres: Server) -> Ground:
    return on_postgres(postgres)


@pytest.fixture(scope="session")
def quiet(
    share: Share, nursery: Nursery, ground: Ground, tmp_path_factory: pytest.TempPathFactory
) -> Undisturbed:
    folder = tmp_path_factory.mktemp("quiet") / "data"
    return as_undisturbed(share("crashes", "postgres", lambda: undisturbed(nursery, ground, folder)))


@pytest.mark.timeout(300)
def test_every_kind_of_writer_is_among_the_points_on_postgres(quiet: Undisturbed) -> None:
    assert missing(quiet.points) == []


@pytest.mark.accept
@pytest.mark.timeout(570)
@pytest.mark.parametrize("part", range(PARTS))
def test_kill_at_every_third_point_changes_nothing_on_postgres(
    part: int, quiet: Undisturbed, nursery: Nursery, ground: Ground, tmp_path: Path
) -> None:
    kill_at(quiet.points[::SHARE][part::PARTS], quiet.facts, nursery, ground, tmp_path)
