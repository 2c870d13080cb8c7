"""The ranks have different numbers of batches.

Family: early-exit by fork.
Expected verdict: deterministic.
Expected cause: early-exit: rank 1 left cleanly, exit code 0, after WORLD's collective 3; rank 0 entered
number 4.
Must not say: rank 0 is the origin, rank 1 crashed, a closed connection as the cause.
"""

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _epoch(rank: int) -> None:
    for batch in range(4 - rank):
        dist.all_reduce(torch.full((4,), float(batch)))


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=5)
    _epoch(rank)
    dist.destroy_process_group()


def test_epoch_ends_together() -> None:
    assert exit_codes(_worker) == [0, 0]
