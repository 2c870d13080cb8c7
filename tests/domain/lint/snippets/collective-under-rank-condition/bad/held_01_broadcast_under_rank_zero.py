"""Bad: rank 0 alone calls broadcast, the others never enter it.

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
    if rank == 0:  # <- collective-under-rank-condition
        weight.fill_(7)
        dist.broadcast(weight, src=0)  # <- collective-under-rank-condition
    print(rank, weight)
    dist.destroy_process_group()


def test_weight():
    mp.spawn(run, args=(2,), nprocs=2)
