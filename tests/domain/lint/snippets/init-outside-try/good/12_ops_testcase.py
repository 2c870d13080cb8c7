"""Good: a TestCase worker whose try begins before both the environment and the rendezvous.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: no-early-exit-check, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import os
import traceback
import unittest
import multiprocessing

import torch
import torch.distributed as c10d


class ReduceScatterTest(unittest.TestCase):
    @staticmethod
    def _work(rank, n, results):
        try:
            os.environ["MASTER_ADDR"] = "127.0.0.1"
            os.environ["MASTER_PORT"] = "29609"
            c10d.init_process_group("gloo", rank=rank, world_size=n)
            out = torch.zeros(1)
            c10d.all_reduce(out)
        except Exception:
            results[rank] = traceback.format_exc()
        else:
            results[rank] = "ok"
            c10d.destroy_process_group()

    def test_work(self):
        results = multiprocessing.Manager().dict()
        workers = [multiprocessing.Process(target=self._work, args=(r, 2, results)) for r in range(2)]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        self.assertEqual(dict(results), {0: "ok", 1: "ok"})
