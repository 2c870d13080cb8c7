"""Incident 1 with two workers, one of them killed for good or frozen and woken: the end is the same."""

import signal
import threading
from pathlib import Path

import pytest
from crew import Crew, Process, crew
from fixtures_postgres import Server
from stored_facts import Facts, differences

from worker.queue.lease import LEASE_LOST, USUAL_LEASE

SHORT_S = 4.0


@pytest.fixture(scope="module")
def alone(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """What one worker that nothing happens to makes of it."""
    folder = tmp_path_factory.mktemp("alone") / "data"
    with crew(folder, postgres.new_database(), workers=1, lease_s=SHORT_S) as one:
        return one.play()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


def freeze(worker: Process) -> None:
    worker.send_signal(signal.SIGSTOP)


def is_same(found: Facts, expected: Facts, played: Crew) -> bool:
    assert played.standin.duplicate_effects == 0
    assert differences(found, expected) == []
    return True


@pytest.mark.timeout(300)
def test_two_workers_come_to_the_same_end_as_one(alone: Facts, postgres_url: str, folder: Path) -> None:
    with crew(folder, postgres_url, workers=2, lease_s=SHORT_S) as two:
        assert is_same(two.play(), alone, two)


@pytest.mark.timeout(300)
def test_worker_killed_for_good_in_the_middle_changes_nothing(
    alone: Facts, postgres_url: str, folder: Path
) -> None:
    with crew(folder, postgres_url, workers=2, lease_s=SHORT_S, strike=Process.kill) as two:
        assert is_same(two.play(), alone, two)
        assert two.struck is not None
        assert "tasks of dead workers are taken over" in two.log.read_text()
    assert two.struck.returncode == -signal.SIGKILL


@pytest.mark.accept
@pytest.mark.timeout(500)
@pytest.mark.parametrize("lease_s", [SHORT_S, USUAL_LEASE.stale_s], ids=["short lease", "usual lease"])
def test_worker_frozen_for_a_minute_and_woken_changes_nothing(
    alone: Facts, postgres_url: str, folder: Path, lease_s: float
) -> None:
    """It sleeps between writing a comment and noting it; the usual lease is taken over within the minute."""
    with crew(folder, postgres_url, workers=2, lease_s=lease_s, strike=freeze) as two:
        waker = threading.Timer(60, lambda: two.struck and two.struck.send_signal(signal.SIGCONT))
        told: list[Facts] = []
        try:
            waker.start()
            told.append(two.play())
            assert two.struck is not None
            assert two.struck.wait(timeout=120) == LEASE_LOST
        finally:
            waker.cancel()
        assert is_same(told[0], alone, two)
        assert "worker ends itself" in two.log.read_text()
