"""Bad: the test case reads one item per process and looks at none of them meanwhile.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import unittest
import traceback
from multiprocessing import Process, Queue

import torch
import torch.distributed as dist


class GatherTest(unittest.TestCase):
    def _body(self, rank, q):
        try:
            dist.init_process_group("gloo", "tcp://127.0.0.1:29606", rank=rank, world_size=2)
            xs = [torch.zeros(1), torch.zeros(1)]
            dist.all_gather(xs, torch.tensor([float(rank)]))
            q.put((rank, [x.item() for x in xs]))
        except Exception:
            q.put((rank, traceback.format_exc()))

    def test_gather(self):
        q = Queue()
        procs = [Process(target=self._body, args=(rank, q)) for rank in range(2)]
        for p in procs:
            p.start()
        for _ in procs:
            rank, value = q.get(True, 60)  # <- no-early-exit-check
            self.assertEqual(value, [0.0, 1.0], f"rank {rank}")
        for p in procs:
            p.join()
