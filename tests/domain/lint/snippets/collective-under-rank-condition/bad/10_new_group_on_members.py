"""Bad: new_group is a collective of all ranks, and only its members call it.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def pair_sum(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29710", rank=rank, world_size=world_size)
    x = torch.tensor([float(rank)])
    if rank in (0, 1):  # <- collective-under-rank-condition
        pair = dist.new_group([0, 1])  # <- collective-under-rank-condition
        dist.all_reduce(x, group=pair)
        assert x.item() == 1.0
    dist.barrier()
    dist.destroy_process_group()


def test_pair_sum():
    mp.spawn(pair_sum, args=(3,), nprocs=3)
