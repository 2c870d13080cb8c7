"""Bad: the host of the store takes no part in the subgroup's work and is gone before it ends.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as td
from torch import multiprocessing


def main(rank, world_size, port):
    td.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=world_size)
    workers = td.new_group(list(range(1, world_size)))
    if rank == 0:
        td.destroy_process_group()  # <- exit-without-barrier
        return  # <- exit-without-barrier
    x = torch.ones(4)
    for _ in range(20):
        td.all_reduce(x, group=workers)
        x /= world_size - 1
    assert x.tolist() == [1.0] * 4
    td.destroy_process_group()


def test_workers():
    multiprocessing.spawn(main, args=(3, 29664), nprocs=3)
