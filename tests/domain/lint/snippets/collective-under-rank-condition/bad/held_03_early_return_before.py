"""Bad: all ranks but 0 return before the all_reduce.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
from torch.multiprocessing import spawn


def metrics(local_rank, n):
    dist.init_process_group("gloo", "tcp://localhost:29703", rank=local_rank, world_size=n)
    correct = torch.tensor([3.0 + local_rank])
    if local_rank != 0:  # <- collective-under-rank-condition
        return
    dist.all_reduce(correct)  # <- collective-under-rank-condition
    print("correct", correct.item())
    dist.destroy_process_group()


def test_metrics():
    spawn(metrics, args=(2,), nprocs=2)
