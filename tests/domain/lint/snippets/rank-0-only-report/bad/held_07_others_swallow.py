"""Bad: ranks above 0 swallow their exception, which only rank 0 would put.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import traceback
import unittest
import multiprocessing as mp

import torch
import torch.distributed as c10d


class ScatterTest(unittest.TestCase):
    def _work(self, rank, queue):
        try:
            c10d.init_process_group("gloo", "tcp://127.0.0.1:29547", rank=rank, world_size=2)
            out = torch.zeros(2)
            chunks = [torch.ones(2), torch.ones(2) * 2] if rank == 0 else None
            c10d.scatter(out, chunks, src=0)
            if rank == 0:
                queue.put(out.tolist())
        except Exception:
            if rank != 0:  # <- rank-0-only-report
                return
            queue.put(traceback.format_exc())  # <- rank-0-only-report

    def test_scatter(self):
        queue = mp.Queue()
        procs = [mp.Process(target=self._work, args=(rank, queue)) for rank in range(2)]
        for p in procs:
            p.start()
        self.assertEqual(queue.get(timeout=30), [1.0, 1.0])
        for p in procs:
            p.join()
