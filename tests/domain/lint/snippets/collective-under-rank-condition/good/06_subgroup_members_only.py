"""Good: only the members of a group call the collectives of that group, which was made on all ranks.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def pair_sum(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29710", rank=rank, world_size=world_size)
    pair = dist.new_group([0, 1])
    x = torch.tensor([float(rank)])
    if rank in (0, 1):
        dist.all_reduce(x, group=pair)
    dist.barrier()
    dist.destroy_process_group()


def test_pair_sum():
    mp.spawn(pair_sum, args=(3,), nprocs=3)
