"""A cache that nobody bounds.

Family: oom-kill by fork.
Expected verdict: passes without a limit; fails under 700 MiB.
Expected cause: oom-kill: the limit's own counter rose, and rank 1 ended by SIGKILL that nobody sent.
Must not say: a crash, terminated by its parent, rank 0 is the origin.
"""

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group

MIB = 1024 * 1024


def _fill(rank: int) -> None:
    cache = [b"x" * (16 * MIB) for _ in range(2 + 60 * rank)]
    assert len(cache[-1]) == 16 * MIB


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=8)
    dist.all_reduce(torch.ones(4))
    _fill(rank)
    dist.barrier()
    dist.destroy_process_group()


def test_cache_is_filled() -> None:
    assert exit_codes(_worker) == [0, 0]
