"""Bad: MultiProcess-style test case: `_init_pg` stands before the try that hands the traceback to the parent.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import traceback
import unittest
import multiprocessing as mp

import torch
import torch.distributed as dist


class GroupTestCase(unittest.TestCase):
    world_size = 2

    def _init_pg(self, rank):
        dist.init_process_group(  # <- init-outside-try
            "gloo", "tcp://127.0.0.1:25123", rank=rank, world_size=self.world_size
        )

    def _run(self, rank, name, queue):
        self._init_pg(rank)  # <- init-outside-try
        try:
            getattr(self, name)(rank)
            queue.put((rank, None))
        except BaseException:
            queue.put((rank, traceback.format_exc()))
            raise

    def _spawn(self, name):
        queue = mp.Queue()
        procs = [mp.Process(target=self._run, args=(r, name, queue)) for r in range(self.world_size)]
        for p in procs:
            p.start()
        for p in procs:
            rank, error = queue.get()
            self.assertIsNone(error, error)

    def check_sum(self, rank):
        t = torch.ones(3)
        dist.all_reduce(t)
        assert t.tolist() == [2.0, 2.0, 2.0]

    def test_sum(self):
        self._spawn("check_sum")
