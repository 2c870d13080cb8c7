"""Two steps that the ranks take in different orders.

Family: collective-mismatch of the operation, by fork.
Expected verdict: deterministic.
Expected cause: collective-mismatch: at WORLD's collective 2 rank 0 entered all_reduce and rank 1
broadcast; both call sites.
Must not say: which of the two is wrong, a timeout or a crash as the cause.
"""

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _sum_first(weights: torch.Tensor) -> None:
    dist.all_reduce(weights)
    dist.broadcast(weights, 0)


def _copy_first(weights: torch.Tensor) -> None:
    dist.broadcast(weights, 0)
    dist.all_reduce(weights)


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=3)
    weights = torch.ones(4)
    dist.all_reduce(weights)
    (_sum_first if rank == 0 else _copy_first)(weights)
    dist.barrier()
    dist.destroy_process_group()


def test_weights_agree() -> None:
    assert exit_codes(_worker, join_s=12) == [0, 0]
