"""Bad: the number of reductions in the loop is the rank's own, so the ranks run out of step.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def accumulate(rank, world_size, url):
    dist.init_process_group("gloo", url, rank=rank, world_size=world_size)
    total = torch.zeros(1)
    for i in range(rank + 1):  # <- collective-under-rank-condition
        part = torch.tensor([float(i)])
        dist.all_reduce(part)  # <- collective-under-rank-condition
        total += part
    print(rank, total.item())
    dist.destroy_process_group()


def test_accumulate(tmp_path):
    mp.spawn(accumulate, args=(2, f"file://{tmp_path}/a"), nprocs=2)
