"""Good: all ranks leave by a helper that has the barrier in it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as td
from torch import multiprocessing


def leave():
    td.barrier()
    td.destroy_process_group()


def main(rank, world_size, port):
    td.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=world_size)
    workers = td.new_group(list(range(1, world_size)))
    if rank == 0:
        leave()
        return
    x = torch.ones(4)
    for _ in range(20):
        td.all_reduce(x, group=workers)
        x /= world_size - 1
    leave()


def test_workers():
    multiprocessing.spawn(main, args=(3, 29664), nprocs=3)
