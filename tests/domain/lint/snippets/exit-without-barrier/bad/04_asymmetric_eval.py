"""Bad: rank 0 destroys the group at once, the others go on with a private exchange over its store.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, one-item-drained
# clean: port-found-then-released, rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
from torch.multiprocessing import spawn


def worker(idx, n):
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29654", rank=idx, world_size=n)
    x = torch.full((2,), float(idx))
    dist.all_reduce(x)
    if idx == 0:
        dist.destroy_process_group()  # <- exit-without-barrier
        return  # <- exit-without-barrier
    if idx == 1:
        dist.send(x, dst=2)
    if idx == 2:
        dist.recv(x, src=1)
    assert x.sum() == 6
    dist.destroy_process_group()


def test_three():
    spawn(worker, args=(3,), nprocs=3)
