"""A rank still computes when the other's patience with a gradient is over.

Family: late-rank by fork, with the traffic of DDP.
Expected verdict: deterministic.
Expected cause: late-rank: rank 1 was still computing in _augment when rank 0 had waited 1.5 s for it.
Must not say: rank 0 is the origin, a divergence, an exception of rank 1 as the origin.
"""

import torch
import torch.distributed as dist
from ranks import burn, exit_codes, join_group
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def _augment(rank: int) -> torch.Tensor:
    burn(0.02 if rank == 0 else 2.8)
    return torch.ones(2, 4)


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=1.5)
    torch.set_num_threads(1)
    model = DistributedDataParallel(nn.Linear(4, 4))
    model(torch.ones(2, 4)).sum().backward()
    model(_augment(rank)).sum().backward()
    dist.destroy_process_group()


def test_steps_keep_up() -> None:
    assert exit_codes(_worker) == [0, 0]
