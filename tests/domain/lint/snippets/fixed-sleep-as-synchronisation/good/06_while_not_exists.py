"""Good: the file is polled for, bounded by a number of turns.

# clean: bare-exit-code-assertion, collective-under-rank-condition, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def wait_until(predicate, turns=200):
    for _ in range(turns):
        if predicate():
            return
        time.sleep(0.05)
    raise TimeoutError("the condition did not come true")


def run(rank, world_size, folder):
    dist.init_process_group("gloo", f"file://{folder}/rdzv", rank=rank, world_size=world_size)
    ready = folder / "ready"
    if rank == 0:
        torch.save(torch.ones(3), folder / "weights.pt")
        ready.touch()
    else:
        wait_until(ready.exists)
        assert torch.load(folder / "weights.pt").sum() == 3
    dist.destroy_process_group()


def test_run(tmp_path):
    mp.spawn(run, args=(2, tmp_path), nprocs=2)
