"""Bad: the assertion reads the queue once for two workers.

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
    def _job(self, rank, results):
        try:
            dist.init_process_group("gloo", "tcp://127.0.0.1:29050", rank=rank, world_size=2)
            xs = [torch.zeros(1), torch.zeros(1)]
            dist.all_gather(xs, torch.tensor([float(rank)]))
            results.put([x.item() for x in xs])
        except Exception:
            results.put(traceback.format_exc())

    def test_all_gather(self):
        results = SimpleQueue()
        left = Process(target=self._job, args=(0, results))
        right = Process(target=self._job, args=(1, results))
        left.start()
        right.start()
        self.assertEqual(results.get(), [0.0, 1.0])  # <- one-item-drained
        left.join()
        right.join()
