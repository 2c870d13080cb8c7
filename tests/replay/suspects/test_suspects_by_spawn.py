"""Suspects whose ranks are spawned, or an agent's: one trial each, and its cause as the header has it."""

from pathlib import Path

import pytest
from expectations import BY_SPAWN, Expected, once, unlike
from replayed import replay_once


@pytest.mark.parametrize("expected", once(BY_SPAWN))
def test_cause_is_the_one_of_the_header(expected: Expected, tmp_path: Path) -> None:
    assert not unlike(expected, replay_once(expected.asked, tmp_path / "trial"))
