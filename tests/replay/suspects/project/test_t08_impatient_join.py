"""Suspect T08, a parent that ends its workers when its patience is over.

Family: timing; join with a deadline, then terminate.
Expected verdict: passes at 2 and 1 CPU; fails at 0.25 CPU.
Expected cause: terminated-slow: the parent ended a rank that was still computing in _crunch; exit code
-15.
Must not say: a crash, a killed-for-memory rank, a rank that raised.
"""

import torch
import torch.distributed as dist
from ranks import burn, exit_codes, join_group


def _crunch() -> None:
    burn(0.4)


def _worker(rank: int, port: int) -> None:
    join_group(rank, port)
    dist.all_reduce(torch.ones(4))
    _crunch()
    dist.destroy_process_group()


def test_workers_finish() -> None:
    assert exit_codes(_worker, join_s=2.5) == [0, 0]
