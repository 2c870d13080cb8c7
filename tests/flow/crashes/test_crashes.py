"""SIGKILL at every moment between two effects of the service: the end is as if nothing had happened.

The moments are taken from an undisturbed play, so a write that is new in the product is killed at as well.
`make accept ONLY=crashes` kills at all of them, every change at a spread of eight.
"""

from pathlib import Path

import pytest
from killing import Ground, Undisturbed, kill_at
from nursery import Nursery
from points import missing

PARTS = 16
"""Of all points; two at a time on two cores, each well below the time that one test may take."""
SPREAD, AT_A_TIME = 4, 2


def test_every_kind_of_writer_is_among_the_points(quiet: Undisturbed) -> None:
    assert missing(quiet.points) == []


@pytest.mark.parametrize("part", range(SPREAD // AT_A_TIME))
def test_kill_at_a_spread_of_points_changes_nothing(
    part: int, quiet: Undisturbed, nursery: Nursery, ground: Ground, tmp_path: Path
) -> None:
    spread = quiet.points[:: len(quiet.points) // SPREAD][:SPREAD]
    kill_at(spread[part * AT_A_TIME :][:AT_A_TIME], quiet.facts, nursery, ground, tmp_path)


@pytest.mark.accept
@pytest.mark.timeout(570)
@pytest.mark.parametrize("part", range(PARTS))
def test_kill_at_every_point_changes_nothing(
    part: int, quiet: Undisturbed, nursery: Nursery, ground: Ground, tmp_path: Path
) -> None:
    kill_at(quiet.points[part::PARTS], quiet.facts, nursery, ground, tmp_path)
