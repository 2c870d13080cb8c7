"""Good: the test case reads once per rank of its world size.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import traceback
import unittest
from torch.multiprocessing import Process, SimpleQueue

import torch
import torch.distributed as dist


class AllGather(unittest.TestCase):
    world_size = 2

    def _job(self, rank, results):
        try:
            dist.init_process_group("gloo", "tcp://127.0.0.1:29050", rank=rank, world_size=self.world_size)
            xs = [torch.zeros(1) for _ in range(self.world_size)]
            dist.all_gather(xs, torch.tensor([float(rank)]))
            results.put([x.item() for x in xs])
        except Exception:
            results.put(traceback.format_exc())

    def test_all_gather(self):
        results = SimpleQueue()
        jobs = [Process(target=self._job, args=(rank, results)) for rank in range(self.world_size)]
        for job in jobs:
            job.start()
        for _ in range(self.world_size):
            self.assertEqual(results.get(), [0.0, 1.0])
        for job in jobs:
            job.join()
