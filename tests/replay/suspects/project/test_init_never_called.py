"""A rank decides that it is not needed, and never comes to the rendezvous.

Family: init-failure by fork.
Expected verdict: deterministic.
Expected cause: init-failure: rank 0 waited 3 s for 2 clients; the other worker never called init and left
with 0.
Must not say: a late rank, an early exit after work, a crash.
"""

import torch.distributed as dist
from ranks import exit_codes, join_group


def _worker(rank: int, port: int) -> None:
    if rank == 1 and not dist.is_nccl_available():
        return
    join_group(rank, port, timeout_s=3)
    dist.barrier()
    dist.destroy_process_group()


def test_ranks_meet() -> None:
    assert exit_codes(_worker) == [0, 0]
