"""Each rank takes itself for the one that has the weights.

Family: collective-mismatch of the root, by fork.
Expected verdict: deterministic.
Expected cause: collective-mismatch: at WORLD's collective 2, broadcast, rank 0 names root 0 and rank 1
names root 1.
Must not say: test-assertion alone, a timeout as the cause.
"""

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _load(rank: int) -> None:
    weights = torch.full((4,), float(rank))
    dist.broadcast(weights, src=rank)
    dist.barrier()
    assert weights[0] == 0, f"rank {rank} has weights of rank {int(weights[0])}"


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=3)
    dist.barrier()
    _load(rank)


def test_weights_are_those_of_the_first() -> None:
    assert exit_codes(_worker, join_s=12) == [0, 0]
