"""Suspect T07, a group's timeout that local planning usually fits into.

Family: timing; the timeout of a collective against the other rank's computing.
Expected verdict: passes at 2, 1 and mostly at 0.5 CPU; fails at 0.25 CPU.
Expected cause: late-rank: rank 1 waited 1.2 s in WORLD's collective 2 while rank 0 still computed in
_plan.
Must not say: rank 1 is the origin, a divergence, an exception of rank 0 as the origin.
"""

import torch
import torch.distributed as dist
from ranks import burn, exit_codes, join_group


def _plan() -> None:
    burn(0.45)


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=1.2)
    dist.barrier()
    if rank == 0:
        _plan()
    dist.all_reduce(torch.ones(4))
    dist.destroy_process_group()


def test_plan_is_in_time() -> None:
    assert exit_codes(_worker) == [0, 0]
