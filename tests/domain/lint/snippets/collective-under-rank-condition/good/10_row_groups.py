"""Good: each rank takes part in the group of its own row, chosen by rank, and all groups are made by all.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def rows(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29720", rank=rank, world_size=world_size)
    groups = [dist.new_group([0, 1]), dist.new_group([2, 3])]
    x = torch.tensor([float(rank)])
    if rank < 2:
        dist.all_reduce(x, group=groups[0])
    else:
        dist.all_reduce(x, group=groups[1])
    assert x.item() in (1.0, 5.0)
    dist.destroy_process_group()


def test_rows():
    mp.spawn(rows, args=(4,), nprocs=4)
