"""Good: that nobody is alive is asserted before any terminate, which stands in the finally.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective
"""

from multiprocessing import get_context

import torch
import torch.distributed as dist


def body(rank, n, url):
    dist.init_process_group("gloo", init_method=url, rank=rank, world_size=n)
    x = torch.zeros(1)
    dist.broadcast(x, src=0)
    dist.barrier()
    dist.destroy_process_group()


def run(n, url):
    ctx = get_context("spawn")
    procs = [ctx.Process(target=body, args=(rank, n, url)) for rank in range(n)]
    for p in procs:
        p.start()
    try:
        for p in procs:
            p.join(timeout=30)
        hanging = [rank for rank, p in enumerate(procs) if p.is_alive()]
        assert not hanging, f"ranks {hanging} still run after 30 s"
        return [p.exitcode for p in procs]
    finally:
        for p in procs:
            p.terminate()


def test_broadcast(tmp_path):
    assert run(2, f"file://{tmp_path}/b") == [0, 0]
