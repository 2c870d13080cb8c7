"""A library gives up by abort().

Family: crash-signal by spawn, during the work.
Expected verdict: deterministic.
Expected cause: crash-signal: rank 0 ended by SIGABRT in _allocate, during its work; rank 1 is a
consequence.
Must not say: rank 1 is the origin, while exiting, a mismatch, killed from outside.
"""

import os

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _allocate(rank: int) -> None:
    if rank == 0:
        os.abort()


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=5)
    for _ in range(3):
        dist.all_reduce(torch.ones(4))
    _allocate(rank)
    dist.barrier()
    dist.destroy_process_group()


def test_buffers_are_allocated() -> None:
    assert exit_codes(_worker, start="spawn") == [0, 0]
