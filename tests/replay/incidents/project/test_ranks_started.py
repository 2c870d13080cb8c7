"""Two healthy ranks, started in each way that people start them.

Family: faults of ours, one rank made to fail.
Expected: a fault reaches rank 1 at each place, whoever started it; the message has the exit codes by rank.
"""

import os
import pathlib
import socket
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
import torch.multiprocessing as mp
from meeting import meet

SCRIPT = pathlib.Path(__file__).with_name("meeting.py")
ALL_S, GRACE_S = 20.0, 1.0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _as_processes(way: str) -> list[int | None]:
    port = _free_port()
    ranks = [mp.get_context(way).Process(target=meet, args=(rank, port)) for rank in range(2)]
    for one in ranks:
        one.start()
    try:
        return _codes(lambda: [one.exitcode for one in ranks])
    finally:
        for one in ranks:
            one.kill()
            one.join()


def _as_programs() -> list[int | None]:
    env = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port()), "WORLD_SIZE": "2"}
    ranks = [subprocess.Popen([sys.executable, SCRIPT], env={**env, "RANK": str(rank)}) for rank in range(2)]
    try:
        return _codes(lambda: [one.poll() for one in ranks])
    finally:
        for one in ranks:
            one.kill()
            one.wait()


def _codes(look: Callable[[], list[int | None]]) -> list[int | None]:
    """Exit codes by rank, None of one that runs: at the end, or a moment after the first that is wrong."""
    deadline = time.monotonic() + ALL_S
    while time.monotonic() < deadline:
        codes = look()
        if None not in codes:
            break
        if any(codes):
            deadline = min(deadline, time.monotonic() + GRACE_S)
        time.sleep(0.05)
    return look()


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_processes_meet(way: str) -> None:
    assert _as_processes(way) == [0, 0]


def test_programs_meet() -> None:
    assert _as_programs() == [0, 0]


def test_spawned_ranks_meet() -> None:
    mp.spawn(meet, args=(_free_port(),), nprocs=2)


def test_elastic_ranks_meet() -> None:
    where = ["--master-addr=127.0.0.1", f"--master-port={_free_port()}"]
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", *where, str(SCRIPT)]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=ALL_S, check=False)
    except subprocess.TimeoutExpired:
        pytest.fail("a rank did not end in time")
    assert ended.returncode == 0, ended.stderr
