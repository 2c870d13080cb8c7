"""kill -9 of web and of worker at twelve moments of incident 1: the end is as if nothing had happened."""

import shutil
from pathlib import Path

import pytest
from kill_points import LONG, SHORT
from sharing import Share
from stored_facts import Facts, differences
from world import Point, world


@pytest.fixture(scope="module")
def undisturbed(share: Share, migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Facts:
    def play() -> Facts:
        folder = tmp_path_factory.mktemp("undisturbed") / "data"
        shutil.copytree(migrated, folder)
        with world(folder) as quiet:
            told = quiet.play()
            assert quiet.standin.duplicate_effects == 0
        return told

    facts: Facts = share("kills", "undisturbed", play)
    return facts


@pytest.mark.parametrize(
    "point",
    [*SHORT, *(pytest.param(point, marks=pytest.mark.accept) for point in LONG)],
    ids=lambda point: f"{point.victim} {point.name}",
)
def test_killed_process_loses_nothing_and_doubles_nothing(
    point: Point, undisturbed: Facts, migrated: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(migrated, folder)
    with world(folder, point) as disturbed:
        found = disturbed.play()
        assert disturbed.struck, "the moment never came"
        assert disturbed.standin.duplicate_effects == 0
    assert differences(found, undisturbed) == []
