"""A rank sleeps off its back-off while the other one waits.

Family: late-rank by spawn; nothing is throttled.
Expected verdict: deterministic.
Expected cause: late-rank: rank 0 came to WORLD's collective 2 (barrier) after rank 1's 1.5 s; it was in
_retry.
Must not say: throttling, rank 1 is the origin, a divergence.
"""

import time

import torch.distributed as dist
from ranks import exit_codes, join_group


def _retry() -> None:
    for attempt in range(3):
        time.sleep(0.4 * 2**attempt)


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=1.5)
    dist.barrier()
    if rank == 0:
        _retry()
    dist.barrier()
    dist.destroy_process_group()


def test_ranks_meet_again() -> None:
    assert exit_codes(_worker, start="spawn") == [0, 0]
