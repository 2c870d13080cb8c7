"""One rank's loss fails after a sharded forward pass.

Family: rank-exception by torch's own spawn, with the traffic of FSDP2, which no wrapper of functions
sees.
Expected verdict: deterministic.
Expected cause: rank-exception: rank 1 raised FloatingPointError("loss is not finite") in _loss.
Must not say: rank 0 is the origin, a divergence, a signal as the cause.
"""

import torch
import torch.multiprocessing as mp
from ranks import free_port, join_group
from torch import nn


def _loss(rank: int, output: torch.Tensor) -> torch.Tensor:
    loss = output.sum() / (1 - rank)
    if not bool(torch.isfinite(loss)):
        raise FloatingPointError("loss is not finite")
    return loss


def _worker(rank: int, port: int) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    join_group(rank, port)
    model = fully_shard(nn.Linear(8, 8), mesh=init_device_mesh("cpu", (2,)))
    _loss(rank, model(torch.ones(2, 8))).backward()


def test_sharded_step() -> None:
    mp.spawn(_worker, args=(free_port(),), nprocs=2)
