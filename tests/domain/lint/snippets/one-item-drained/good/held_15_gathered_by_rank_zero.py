"""Good: mp.spawn raises any rank's error, and the one gathered report of rank 0 is the only item put.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def entry(rank, world_size, out):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29999", rank=rank, world_size=world_size)
    local = {"rank": rank, "norm": torch.ones(3).norm().item()}
    everyone = [None] * world_size
    dist.all_gather_object(everyone, local)
    if rank == 0:
        out.put(everyone)
    dist.barrier()
    dist.destroy_process_group()


def test_norms():
    world_size = 2
    out = mp.get_context("spawn").SimpleQueue()
    mp.spawn(entry, args=(world_size, out), nprocs=world_size)
    everyone = out.get()
    assert [e["rank"] for e in everyone] == [0, 1]
