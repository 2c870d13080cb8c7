"""A rank reduces over the world where its pair reduces over the pair.

Family: collective-mismatch of the group, by fork, four ranks.
Expected verdict: deterministic.
Expected cause: collective-mismatch or rank-divergence: rank 3 entered all_reduce on WORLD where rank 2
entered all_reduce on the subgroup of ranks 2 and 3.
Must not say: a late rank, rank 0 is the origin, a timeout as the cause.
"""

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, world=4, timeout_s=4)
    pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
    dist.all_reduce(torch.ones(4))
    dist.all_reduce(torch.ones(4), group=dist.group.WORLD if rank == 3 else pairs[rank // 2])
    dist.barrier()
    dist.destroy_process_group()


def test_pairs_agree() -> None:
    assert exit_codes(_worker, world=4, join_s=12) == [0, 0, 0, 0]
