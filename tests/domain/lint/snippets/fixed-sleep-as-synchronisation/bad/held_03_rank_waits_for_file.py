"""Bad: rank 1 sleeps in the hope that rank 0 has written the file in the meantime.

# clean: bare-exit-code-assertion, collective-under-rank-condition, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, world_size, folder):
    dist.init_process_group("gloo", f"file://{folder}/rdzv", rank=rank, world_size=world_size)
    path = folder / "weights.pt"
    if rank == 0:
        torch.save(torch.ones(3), path)
    else:
        time.sleep(5)  # <- fixed-sleep-as-synchronisation
        assert torch.load(path).sum() == 3
    dist.destroy_process_group()


def test_run(tmp_path):
    mp.spawn(run, args=(2, tmp_path), nprocs=2)
