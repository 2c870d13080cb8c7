"""Bad: the while condition is how much work this rank has left, and each turn reduces.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def drain(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29713", rank=rank, world_size=world_size)
    remaining = 2 + rank
    done = torch.zeros(1)
    while remaining > rank * 2:  # <- collective-under-rank-condition
        one = torch.ones(1)
        dist.all_reduce(one)  # <- collective-under-rank-condition
        done += one
        remaining -= 1
    print(rank, done.item())
    dist.destroy_process_group()


def test_drain():
    mp.spawn(drain, args=(3,), nprocs=3)
