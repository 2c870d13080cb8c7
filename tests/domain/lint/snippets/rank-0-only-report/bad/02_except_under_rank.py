"""Bad: the except block puts the traceback on the queue for rank 0 alone.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import traceback

import torch
import torch.distributed as dist
from torch.multiprocessing import get_context


def run(rank, n, q):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29542", rank=rank, world_size=n)
        x = torch.tensor([float(rank)])
        dist.all_reduce(x)
        if rank == 0:
            q.put(("ok", x.item()))
    except Exception:
        if rank == 0:  # <- rank-0-only-report
            q.put(("error", traceback.format_exc()))  # <- rank-0-only-report


def test_run():
    ctx = get_context("spawn")
    q = ctx.Queue()
    ps = [ctx.Process(target=run, args=(i, 3, q)) for i in range(3)]
    for p in ps:
        p.start()
    kind, value = q.get(timeout=60)
    for p in ps:
        p.join()
    assert kind == "ok", value
    assert value == 3.0
