"""The canary is a real test that passes on healthy ground, and fails on ground that is not."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.replay_words import Arm, Outcome
from worker.replay.calibration import calibrate
from worker.replay.plan.canary import FILE, NODE, canary_source, is_void


def _run(folder: Path, source: str) -> int:
    (folder / FILE).write_text(source)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", NODE]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, timeout=100).returncode


@pytest.mark.parametrize("uses_torch", [False, True])
def test_canary_passes_on_healthy_ground(tmp_path: Path, *, uses_torch: bool) -> None:
    if uses_torch:
        pytest.importorskip("torch", reason="torch is not installed")
    assert _run(tmp_path, canary_source(Arm.PLAIN, uses_torch=uses_torch)) == 0


def test_canary_fails_where_its_peer_dies(tmp_path: Path) -> None:
    source = canary_source(Arm.PLAIN, uses_torch=False)
    assert _run(tmp_path, source.replace("talk.sendall(said)", "os._exit(3)")) == 1


def test_canary_needs_no_torch_where_the_suspect_needs_none_nor_under_a_memory_limit() -> None:
    assert "torch" not in canary_source(Arm.PLAIN, uses_torch=False)
    assert "torch" not in canary_source(Arm.MEMORY, uses_torch=True)
    assert "torch" in canary_source(Arm.CPU_QUARTER, uses_torch=True)


@pytest.mark.parametrize("outcome", Outcome)
def test_only_a_canary_that_ran_and_failed_voids_a_limit(outcome: Outcome) -> None:
    assert is_void(outcome) is (outcome in {Outcome.FAILED, Outcome.TIMED_OUT, Outcome.ENDED_EARLY})


def test_calibration_measures_something() -> None:
    measured = calibrate()
    assert 0 < measured.cpu_s <= measured.wall_s * 1.5
    assert measured.cpus >= 1
    assert measured.load >= 0


def test_a_machine_is_busy_when_others_want_more_than_there_is() -> None:
    quiet = calibrate()
    assert not replace(quiet, load=0.0).is_busy
    assert replace(quiet, load=2.0 * quiet.cpus).is_busy
