"""Bad: assertFalse(any(...), "crash") for all ranks in one.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import unittest

import torch
import torch.distributed as dist
from torch import multiprocessing


def gather(rank, n):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29634", rank=rank, world_size=n)
    xs = [torch.zeros(1) for _ in range(n)]
    dist.all_gather(xs, torch.tensor([float(rank)]))
    dist.barrier()
    dist.destroy_process_group()


class GatherTest(unittest.TestCase):
    def _run(self, n):
        ranks = [multiprocessing.Process(target=gather, args=(rank, n)) for rank in range(n)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()
        self.assertFalse(any(rank.exitcode != 0 for rank in ranks), "crash")  # <- bare-exit-code-assertion

    def test_two(self):
        self._run(2)

    def test_three(self):
        self._run(3)
