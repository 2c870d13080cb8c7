"""Good: the raise depends on the world size alone, which is the same on every rank.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def halve(weight, group=None):
    dist.all_reduce(weight, group=group)
    if dist.get_world_size(group) % 2:
        raise ValueError("needs an even number of ranks")
    weight /= 2
    dist.broadcast(weight, src=0, group=group)
    return weight


def run(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29687", rank=rank, world_size=world_size)
    assert halve(torch.ones(1)).item() == world_size / 2
    dist.destroy_process_group()


def test_halve():
    mp.spawn(run, args=(2,), nprocs=2)
