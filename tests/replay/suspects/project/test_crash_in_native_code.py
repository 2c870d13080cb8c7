"""Native code reads where nothing is.

Family: crash-signal by fork, during the work.
Expected verdict: deterministic.
Expected cause: crash-signal: rank 1 ended by SIGSEGV in _decode, after WORLD's collective 1; rank 0 is a
consequence.
Must not say: rank 0 is the origin, a closed connection as the cause, killed from outside.
"""

import ctypes

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _decode(rank: int) -> None:
    if rank == 1:
        ctypes.string_at(16)


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=5)
    dist.all_reduce(torch.ones(4))
    _decode(rank)
    dist.all_reduce(torch.ones(4))
    dist.destroy_process_group()


def test_batch_is_decoded() -> None:
    assert exit_codes(_worker) == [0, 0]
