"""Good: rank 0 puts the tensor and every other rank puts its own word in the else branch.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
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
                queue.put((rank, out.tolist()))
            else:
                queue.put((rank, out.sum().item()))
        except Exception:
            queue.put((rank, traceback.format_exc()))

    def test_scatter(self):
        queue = mp.Queue()
        procs = [mp.Process(target=self._work, args=(rank, queue)) for rank in range(2)]
        for p in procs:
            p.start()
        answers = dict(queue.get(timeout=30) for _ in procs)
        self.assertEqual(answers, {0: [1.0, 1.0], 1: 4.0})
        for p in procs:
            p.join()
