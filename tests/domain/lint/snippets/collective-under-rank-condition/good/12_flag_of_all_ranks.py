"""Good: whether to stop was reduced over the ranks, so all leave the loop in the same turn.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
from torch.multiprocessing import start_processes


def fit(rank, n, url):
    dist.init_process_group("gloo", init_method=url, rank=rank, world_size=n)
    for epoch in range(10):
        stop = torch.tensor(int(epoch + rank > 5))
        dist.all_reduce(stop, op=dist.ReduceOp.MAX)
        if stop.item():
            break
        grad = torch.ones(1)
        dist.all_reduce(grad)
    dist.barrier()
    dist.destroy_process_group()


def test_fit(tmp_path):
    start_processes(fit, args=(2, f"file://{tmp_path}/f"), nprocs=2, start_method="spawn")
