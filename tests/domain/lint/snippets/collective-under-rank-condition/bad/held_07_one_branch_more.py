"""Bad: both branches broadcast, and rank 0 adds a barrier that the others never reach.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import unittest

import torch
import torch.distributed as c10d
import torch.multiprocessing as mp


def _exchange(rank, n):
    c10d.init_process_group("gloo", "tcp://127.0.0.1:29707", rank=rank, world_size=n)
    x = torch.ones(4)
    if rank == 0:  # <- collective-under-rank-condition
        c10d.broadcast(x, src=0)
        c10d.barrier()  # <- collective-under-rank-condition
    else:
        c10d.broadcast(x, src=0)
    c10d.destroy_process_group()


class ExchangeTest(unittest.TestCase):
    def test_exchange(self):
        mp.spawn(_exchange, args=(2,), nprocs=2)
