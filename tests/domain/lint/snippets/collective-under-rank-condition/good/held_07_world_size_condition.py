"""Good: the condition is the world size or whether there is a group, which is the same on all ranks.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import unittest

import torch
import torch.distributed as c10d
import torch.multiprocessing as mp


def mean(x):
    if not c10d.is_initialized() or c10d.get_world_size() == 1:
        return x
    c10d.all_reduce(x)
    return x / c10d.get_world_size()


def _average(rank, n):
    c10d.init_process_group("gloo", "tcp://127.0.0.1:29707", rank=rank, world_size=n)
    if n > 1:
        c10d.barrier()
    assert mean(torch.tensor([float(rank)])).item() == (n - 1) / 2
    c10d.destroy_process_group()


class AverageTest(unittest.TestCase):
    def test_average(self):
        mp.spawn(_average, args=(2,), nprocs=2)

    def test_alone(self):
        self.assertEqual(mean(torch.ones(1)).item(), 1.0)
