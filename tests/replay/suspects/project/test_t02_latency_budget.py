"""Suspect T02, a bound on the slowest of many steps.

Family: timing; one stall of a whole process breaks it.
Expected verdict: passes at 2 and 1 CPU; fails often at 0.5 CPU, always at 0.25 and when a rank is paused.
Expected cause: an AssertionError in _train, "slowest step took"; every collective matched: test-assertion
where both ranks saw the slow step, rank-exception where one did.
Must not say: a rank timed out, a rank crashed, the ranks differ.
"""

import time

import torch
import torch.distributed as dist
from ranks import burn, exit_codes, join_group


def _train() -> None:
    gradient = torch.ones(512)
    slowest = 0.0
    for _ in range(120):
        began = time.perf_counter()
        burn(0.0004)
        dist.all_reduce(gradient)
        slowest = max(slowest, time.perf_counter() - began)
    assert slowest < 0.065, f"slowest step took {slowest:.3f} s"


def _worker(rank: int, port: int) -> None:
    join_group(rank, port)
    dist.barrier()
    _train()
    dist.barrier()
    dist.destroy_process_group()


def test_steps_are_quick() -> None:
    assert exit_codes(_worker) == [0, 0]
