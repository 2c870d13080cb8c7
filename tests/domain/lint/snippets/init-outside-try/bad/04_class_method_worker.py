"""Bad: the worker method initialises the group two lines above the try that reports.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, port-found-then-released
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import queue as queue_module
import traceback
import unittest

import torch
import torch.distributed as dist
import torch.multiprocessing as tmp


class Harness:
    def __init__(self, world_size):
        self.world_size = world_size

    def __call__(self, rank, reports):
        dist.init_process_group(  # <- init-outside-try
            "gloo", "tcp://127.0.0.1:23456", rank=rank, world_size=self.world_size
        )
        device = torch.device("cpu")
        try:
            x = torch.arange(3, device=device)
            dist.broadcast(x, src=0)
            reports.put((rank, None))
        except BaseException:
            reports.put((rank, traceback.format_exc()))
        finally:
            dist.barrier()
            dist.destroy_process_group()


class BroadcastTest(unittest.TestCase):
    def test_broadcast(self):
        context = tmp.get_context("spawn")
        reports = context.SimpleQueue()
        for rank in range(2):
            context.Process(target=Harness(2), args=(rank, reports)).start()
        for _ in range(2):
            rank, error = reports.get()
            self.assertIsNone(error, f"rank {rank}: {error}")
