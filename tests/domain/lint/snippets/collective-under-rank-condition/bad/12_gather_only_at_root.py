"""Bad: gather wants every rank to send, yet only the destination calls it.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
from torch.multiprocessing import start_processes


def collect(rank, n, url):
    dist.init_process_group("gloo", init_method=url, rank=rank, world_size=n)
    mine = torch.tensor([rank * 2.0])
    is_root = rank == 0
    if is_root:  # <- collective-under-rank-condition
        out = [torch.zeros(1) for _ in range(n)]
        dist.gather(mine, gather_list=out, dst=0)  # <- collective-under-rank-condition
        assert [o.item() for o in out] == [2.0 * i for i in range(n)]
    dist.destroy_process_group()


def test_collect(tmp_path):
    start_processes(collect, args=(2, f"file://{tmp_path}/c"), nprocs=2, start_method="spawn")
