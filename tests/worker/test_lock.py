"""The lock: one holder at a time, and death lets go."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.domain.errors import Conflict
from worker.queue.lock import exclusive

HOLD = """
import sys, pathlib
from worker.queue.lock import exclusive
with exclusive(pathlib.Path(sys.argv[1]), subject="worker"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_second_holder_is_told_who_is_first(tmp_path: Path) -> None:
    with (
        exclusive(tmp_path / "worker.queue.lock", subject="worker"),
        pytest.raises(Conflict, match=r"worker: process \d+ holds"),
        exclusive(tmp_path / "worker.queue.lock", subject="worker"),
    ):
        pytest.fail("both hold it")


def test_lock_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with exclusive(tmp_path / "missing folder" / "worker.queue.lock", subject="worker"):
            pass


def test_waiting_holder_gets_its_turn(tmp_path: Path) -> None:
    path = tmp_path / "worker.queue.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == b"held\n"
        holder.stdin.close()
        with exclusive(path, subject="worker", wait_s=30):
            assert holder.wait(timeout=10) == 0


def test_death_of_the_holder_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "worker.queue.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with exclusive(path, subject="worker"):
        pass
