"""Bad: an assertion about the local slice only, between all_gather and broadcast.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
from torch import distributed as td
from torch import multiprocessing


def work(i, n, url):
    td.init_process_group("gloo", init_method=url, rank=i, world_size=n)
    sizes = [torch.zeros(1, dtype=torch.long) for _ in range(n)]
    local = torch.arange(i + 3)
    td.all_gather(sizes, torch.tensor([local.numel()]))
    assert local.max() >= i, f"slice of rank {i} is too short"  # <- rank-local-raise-before-collective
    total = torch.stack(sizes).sum()
    td.broadcast(total, src=0)
    assert total.item() == 3 * n + sum(range(n))
    td.destroy_process_group()


def test_sizes(tmp_path):
    multiprocessing.spawn(work, args=(2, f"file://{tmp_path}/w"), nprocs=2)
