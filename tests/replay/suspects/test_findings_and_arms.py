"""What is found beside a cause, what is said of healthy tests, and two arms that need no throttling."""

from pathlib import Path

import pytest
from expectations import STABLE, TIMING, Expected, unlike
from replayed import Asked, replay_once

from app.domain.replay_words import Arm, CauseKind, FindingKind, Outcome

OF_THEIR_OWN = tuple(one for one in TIMING if one.arm is Arm.STORE_DELAY or "t06" in one.test)
"""Those that one trial makes fail, whatever else the machine does, and without a quota."""


@pytest.mark.parametrize("expected", OF_THEIR_OWN, ids=lambda one: one.name)
def test_arm_makes_a_timing_suspect_fail_for_its_own_reason(expected: Expected, tmp_path: Path) -> None:
    assert not unlike(expected, replay_once(expected.asked, tmp_path / "trial"))


def test_server_left_behind_is_named_with_its_port(tmp_path: Path) -> None:
    replayed = replay_once(Asked("test_leaves_a_server.py::test_server_starts"), tmp_path / "trial")
    assert replayed.outcome is Outcome.PASSED, replayed.told
    assert replayed.kind is CauseKind.NONE
    assert replayed.findings >= {FindingKind.LEAKED_PROCESS, FindingKind.LEAKED_PORT}, replayed.told
    assert replayed.trial.cleanup.is_clean


def test_child_that_the_probe_did_not_reach_is_named(tmp_path: Path) -> None:
    replayed = replay_once(Asked("test_unseen_child.py::test_child_answers"), tmp_path / "trial")
    assert replayed.outcome is Outcome.PASSED, replayed.told
    assert FindingKind.NOT_OBSERVED in replayed.findings, replayed.told


@pytest.mark.parametrize("test", [STABLE[1], STABLE[3]])
def test_nothing_is_said_of_a_healthy_test(test: str, tmp_path: Path) -> None:
    replayed = replay_once(Asked(test), tmp_path / "trial")
    assert (replayed.outcome, replayed.kind, replayed.findings) == (Outcome.PASSED, CauseKind.NONE, set()), (
        replayed.told
    )
