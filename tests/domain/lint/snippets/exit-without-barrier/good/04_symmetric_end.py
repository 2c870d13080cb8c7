"""Good: all ranks end alike with an all_reduce that needs every one, then destroy.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
from torch.multiprocessing import spawn


def worker(idx, n, url):
    dist.init_process_group("gloo", init_method=url, rank=idx, world_size=n)
    x = torch.full((2,), float(idx))
    dist.all_reduce(x)
    assert x.sum() == 6
    dist.destroy_process_group()


def test_three(tmp_path):
    spawn(worker, args=(3, f"file://{tmp_path}/r"), nprocs=3)
