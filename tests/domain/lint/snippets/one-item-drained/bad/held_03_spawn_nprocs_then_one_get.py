"""Bad: mp.spawn starts four workers that each put, and one get follows.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import queue

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, n, outputs):
    dist.init_process_group("gloo", "tcp://localhost:29820", rank=rank, world_size=n)
    mine = torch.tensor([rank])
    dist.all_reduce(mine)
    outputs.put(mine.item())
    dist.destroy_process_group()


def test_total():
    with mp.Manager() as manager:
        outputs = manager.Queue()
        mp.spawn(run, args=(4, outputs), nprocs=4)
        total = outputs.get(timeout=10)  # <- one-item-drained
    assert total == 6
