"""Good: the result comes from rank 0, but the except block, for failures, is open to all ranks.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import traceback

import torch
import torch.distributed as dist
from torch.multiprocessing import get_context


def run(rank, n, results, errors):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29542", rank=rank, world_size=n)
        x = torch.tensor([float(rank)])
        dist.all_reduce(x)
        if rank == 0:
            results.put(x.item())
    except Exception:
        errors.put((rank, traceback.format_exc()))


def test_run():
    ctx = get_context("spawn")
    results, errors = ctx.Queue(), ctx.Manager().Queue()
    ps = [ctx.Process(target=run, args=(i, 3, results, errors)) for i in range(3)]
    for p in ps:
        p.start()
    for p in ps:
        p.join()
    assert errors.empty(), errors.get()
    assert results.get(timeout=1) == 3.0
