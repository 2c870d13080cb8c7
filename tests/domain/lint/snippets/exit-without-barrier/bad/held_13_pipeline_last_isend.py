"""Bad: each stage forwards by isend and leaves; of its sends the last is not waited for.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

BATCHES = 3


def stage(rank, n):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29663", rank=rank, world_size=n)
    for batch in range(BATCHES):
        x = torch.full((1024,), float(batch))
        if rank > 0:
            dist.recv(x, rank - 1)
        if rank < n - 1:
            work = dist.isend(x + 1, rank + 1)  # <- exit-without-barrier
            if batch < BATCHES - 1:
                work.wait()
    dist.destroy_process_group()  # <- exit-without-barrier


def test_pipeline():
    mp.spawn(stage, args=(3,), nprocs=3)
