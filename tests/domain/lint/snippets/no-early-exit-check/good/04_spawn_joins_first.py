"""Good: mp.spawn has joined, and raised where a worker died, before the queue is read.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, n, outputs):
    dist.init_process_group("gloo", "tcp://localhost:29604", rank=rank, world_size=n)
    mine = torch.tensor([rank])
    dist.all_reduce(mine)
    outputs.put((rank, mine.item()))
    dist.barrier()
    dist.destroy_process_group()


def test_totals():
    n = 4
    outputs = mp.get_context("spawn").SimpleQueue()
    mp.spawn(run, args=(n, outputs), nprocs=n)
    totals = {}
    for _ in range(n):
        rank, total = outputs.get()
        totals[rank] = total
    assert set(totals.values()) == {6}
