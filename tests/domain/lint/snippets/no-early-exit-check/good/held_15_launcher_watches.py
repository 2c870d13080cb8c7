"""Good: the launcher's results() calls _check() on every turn, which raises for a dead process.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import queue
from multiprocessing import get_context

import torch
import torch.distributed as dist


def _call(rank, n, fn, q):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29615", rank=rank, world_size=n)
    q.put((rank, fn(rank)))
    dist.barrier()
    dist.destroy_process_group()


def product(rank):
    t = torch.tensor([rank + 1.0])
    dist.all_reduce(t, op=dist.ReduceOp.PRODUCT)
    return t.item()


class Launcher:
    def __init__(self, fn, n):
        ctx = get_context("spawn")
        self.q = ctx.Queue()
        self.procs = [ctx.Process(target=_call, args=(rank, n, fn, self.q)) for rank in range(n)]
        for p in self.procs:
            p.start()

    def _check(self):
        for rank, p in enumerate(self.procs):
            if p.exitcode:
                raise RuntimeError(f"rank {rank} ended with {p.exitcode}")

    def results(self):
        got = {}
        while len(got) < len(self.procs):
            try:
                rank, value = self.q.get(timeout=1)
                got[rank] = value
            except queue.Empty:
                self._check()
        return got


def test_product():
    assert Launcher(product, 3).results() == {0: 6.0, 1: 6.0, 2: 6.0}
