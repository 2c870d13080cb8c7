"""Good: the subtests come first, the list of exit codes last.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import traceback
import unittest
import multiprocessing as mp

import torch
import torch.distributed as dist


def run_rank(rank, n, url, outcomes):
    try:
        dist.init_process_group("gloo", init_method=url, rank=rank, world_size=n)
        t = torch.ones(1)
        dist.reduce(t, dst=0)
        outcomes.put((rank, "passed", ""))
    except Exception:
        outcomes.put((rank, "raised", traceback.format_exc()))
        raise


class ReduceCase(unittest.TestCase):
    def test_reduce(self):
        outcomes = mp.Queue()
        ranks = [mp.Process(target=run_rank, args=(i, 2, "tcp://127.0.0.1:29573", outcomes)) for i in (0, 1)]
        for r in ranks:
            r.start()
        seen = [outcomes.get(timeout=60) for _ in ranks]
        for r in ranks:
            r.join()
        for rank, word, text in seen:
            with self.subTest(rank=rank):
                self.assertEqual(word, "passed", text)
        self.assertListEqual([r.exitcode for r in ranks], [0, 0])
