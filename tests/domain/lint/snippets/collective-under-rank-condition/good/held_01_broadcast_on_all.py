"""Good: rank 0 fills the tensor under its condition, and all ranks call broadcast below it.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29701", rank=rank, world_size=world_size)
    weight = torch.full((2,), float(rank))
    if rank == 0:
        weight.fill_(7)
    dist.broadcast(weight, src=0)
    assert weight.tolist() == [7.0, 7.0]
    dist.destroy_process_group()


def test_weight():
    mp.spawn(run, args=(2,), nprocs=2)
