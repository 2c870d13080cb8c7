"""Good: both branches call the very same collective, with the list of parts at the root only.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
from torch.multiprocessing import spawn


def distribute(local_rank, n):
    dist.init_process_group("gloo", "tcp://localhost:29703", rank=local_rank, world_size=n)
    out = torch.zeros(2)
    if local_rank == 0:
        parts = [torch.full((2,), float(i)) for i in range(n)]
        dist.scatter(out, scatter_list=parts, src=0)
    else:
        dist.scatter(out, src=0)
    assert out.tolist() == [float(local_rank)] * 2
    dist.destroy_process_group()


def test_distribute():
    spawn(distribute, args=(2,), nprocs=2)
