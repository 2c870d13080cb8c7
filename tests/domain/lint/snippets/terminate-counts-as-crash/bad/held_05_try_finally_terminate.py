"""Bad: in the finally slow workers are stopped before the codes are compared below.

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
    try:
        for p in procs:
            p.start()
        for p in procs:
            p.join(timeout=30)
    finally:
        for p in procs:
            if p.exitcode is None:
                p.terminate()  # <- terminate-counts-as-crash
                p.join()
    return [p.exitcode for p in procs]


def test_broadcast(tmp_path):
    assert run(2, f"file://{tmp_path}/b") == [0, 0]  # <- terminate-counts-as-crash
