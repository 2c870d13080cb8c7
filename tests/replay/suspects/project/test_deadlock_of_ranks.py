"""Every rank first waits for its neighbour.

Family: deadlock by fork, three ranks, point to point.
Expected verdict: deterministic.
Expected cause: deadlock: ranks 0, 1 and 2 wait in recv for one another in a cycle.
Must not say: a late rank, one rank as the origin, a timeout as the cause.
"""

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _pass_on(rank: int) -> None:
    token = torch.zeros(1)
    dist.recv(token, src=(rank + 1) % 3)
    dist.send(token, dst=(rank - 1) % 3)


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, world=3, timeout_s=3)
    dist.barrier()
    _pass_on(rank)
    dist.destroy_process_group()


def test_token_goes_round() -> None:
    assert exit_codes(_worker, world=3, join_s=12) == [0, 0, 0]
