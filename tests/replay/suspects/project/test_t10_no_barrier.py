"""Suspect T10, groups that are made and destroyed with nothing between.

Family: timing; init is not a barrier: a rank that is done may leave while its peer is still connecting.
Expected verdict: passes at every CPU limit; fails in some runs when ranks are paused often and shortly.
Expected cause: init-failure or early-exit: a rank left cleanly while its peer was in init_process_group.
Must not say: a rank crashed, a timeout as the cause, a late rank.
"""

import torch.distributed as dist
from ranks import exit_codes, free_port, join_group

GROUPS = 8


def _worker(rank: int, _port: int, ports: list[int]) -> None:
    for port in ports:
        join_group(rank, port, timeout_s=8)
        dist.destroy_process_group()


def test_groups_come_and_go() -> None:
    ports = [free_port() for _ in range(GROUPS)]
    assert exit_codes(_worker, ports) == [0, 0]
