"""What a module holds is torn down by abort().

Family: crash-signal by spawn, while the interpreter exits.
Expected verdict: deterministic.
Expected cause: crash-signal: rank 1 ended by SIGABRT while exiting, after its work; its group was
destroyed.
Must not say: during its work, a rank that raised, a timeout, killed from outside.
"""

import os

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


class _Handle:
    """A native handle that must be closed, and is not."""

    def __init__(self) -> None:
        self._abort = os.abort

    def __del__(self) -> None:
        self._abort()


_kept: list[_Handle] = []


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=5)
    dist.all_reduce(torch.ones(4))
    if rank == 1:
        _kept.append(_Handle())
    dist.destroy_process_group()


def test_handles_are_closed() -> None:
    assert exit_codes(_worker, start="spawn") == [0, 0]
