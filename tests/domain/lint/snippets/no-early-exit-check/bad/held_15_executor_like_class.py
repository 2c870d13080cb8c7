"""Bad: the small launcher class waits in results() with no look at self.procs.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

from multiprocessing import get_context

import torch
import torch.distributed as dist


def _call(rank, n, fn, q):
    dist.init_process_group("gloo", f"tcp://127.0.0.1:29615", rank=rank, world_size=n)
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

    def results(self):
        got = dict(self.q.get(timeout=120) for _ in self.procs)  # <- no-early-exit-check
        for p in self.procs:
            p.join()
        return got


def test_product():
    assert Launcher(product, 3).results() == {0: 6.0, 1: 6.0, 2: 6.0}
