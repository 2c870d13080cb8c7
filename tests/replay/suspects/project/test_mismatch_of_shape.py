"""A rank's last batch is shorter.

Family: collective-mismatch of the shape, by fork; Gloo may abort the process.
Expected verdict: deterministic.
Expected cause: collective-mismatch: at WORLD's collective 2 rank 0 has shape (4,), rank 1 has shape
(4096,).
Must not say: crash-signal, a timeout as the cause.
"""

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=3)
    dist.barrier()
    dist.all_reduce(torch.ones(4 if rank == 0 else 4096))
    dist.barrier()


def test_batches_agree() -> None:
    assert exit_codes(_worker, join_s=12) == [0, 0]
