"""A rank leaves its subgroup's step out and waits in the next one of the world.

Family: rank-divergence by fork, four ranks, two subgroups, no exception anywhere.
Expected verdict: deterministic.
Expected cause: rank-divergence: rank 3 did not enter collective 2 of its subgroup (ranks 2 and 3), which
rank 2 entered alone; rank 3 waits in WORLD's barrier instead.
Must not say: rank 2 is the origin, a late rank, a timeout as the cause.
"""

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _reduce_pairs(rank: int, pair: dist.ProcessGroup, step: int) -> None:
    gradient = torch.ones(4)
    if rank == 3 and step == 1:
        return
    dist.all_reduce(gradient, group=pair)


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, world=4, timeout_s=4)
    pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
    for step in range(2):
        _reduce_pairs(rank, pairs[rank // 2], step)
    dist.barrier()
    dist.destroy_process_group()


def test_pairs_reduce() -> None:
    assert exit_codes(_worker, world=4, join_s=12) == [0, 0, 0, 0]
