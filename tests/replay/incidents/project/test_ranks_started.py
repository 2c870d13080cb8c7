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
BEGIN_S, ALL_S, GRACE_S = 60.0, 15.0, 1.0
"""For both ranks to begin, on a busy machine too; for all from then on; and once the first is wrong."""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _as_processes(way: str, place: pathlib.Path) -> list[int | None]:
    port = _free_port()
    ranks = [mp.get_context(way).Process(target=meet, args=(rank, port, place)) for rank in range(2)]
    for one in ranks:
        one.start()
    try:
        return _codes(lambda: [one.exitcode for one in ranks], place)
    finally:
        for one in ranks:
            one.kill()
            one.join()


def _as_programs(place: pathlib.Path) -> list[int | None]:
    where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port()), "MEETING_PLACE": str(place)}
    env = {**os.environ, **where, "WORLD_SIZE": "2"}
    ranks = [subprocess.Popen([sys.executable, SCRIPT], env={**env, "RANK": str(rank)}) for rank in range(2)]
    try:
        return _codes(lambda: [one.poll() for one in ranks], place)
    finally:
        for one in ranks:
            one.kill()
            one.wait()


def _codes(look: Callable[[], list[int | None]], place: pathlib.Path) -> list[int | None]:
    """Exit codes by rank, None of one that runs."""
    deadline = time.monotonic() + BEGIN_S
    has_begun = False
    while time.monotonic() < deadline:
        codes = look()
        if None not in codes:
            break
        if not has_begun and len(list(place.iterdir())) == len(codes):
            has_begun, deadline = True, time.monotonic() + ALL_S
        if any(codes):
            deadline = min(deadline, time.monotonic() + GRACE_S)
        time.sleep(0.05)
    return look()


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_processes_meet(way: str, tmp_path: pathlib.Path) -> None:
    assert _as_processes(way, tmp_path) == [0, 0]


def test_programs_meet(tmp_path: pathlib.Path) -> None:
    assert _as_programs(tmp_path) == [0, 0]


def test_spawned_ranks_meet(tmp_path: pathlib.Path) -> None:
    mp.spawn(meet, args=(_free_port(), tmp_path), nprocs=2)


def test_elastic_ranks_meet(tmp_path: pathlib.Path) -> None:
    where = ["--master-addr=127.0.0.1", f"--master-port={_free_port()}"]
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", *where, str(SCRIPT)]
    env = {**os.environ, "MEETING_PLACE": str(tmp_path)}
    try:
        ended = subprocess.run(command, env=env, capture_output=True, text=True, timeout=BEGIN_S, check=False)
    except subprocess.TimeoutExpired:
        pytest.fail("a rank did not end in time")
    assert ended.returncode == 0, ended.stderr
