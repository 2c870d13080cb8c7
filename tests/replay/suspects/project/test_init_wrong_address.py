"""A rank looks for the others at another port.

Family: init-failure by spawn.
Expected verdict: deterministic.
Expected cause: init-failure: rank 1 called init at another address than rank 0, where nobody listens.
Must not say: a late rank, a closed connection as the cause, a crash.
"""

import torch.distributed as dist
from ranks import exit_codes, free_port, join_group


def _worker(rank: int, port: int, other: int) -> None:
    join_group(rank, port if rank == 0 else other, timeout_s=2)
    dist.barrier()
    dist.destroy_process_group()


def test_ranks_meet() -> None:
    assert exit_codes(_worker, free_port(), start="spawn") == [0, 0]
