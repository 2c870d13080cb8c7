"""Good: futures carry the exception of every rank, though rank 0 alone returns a value.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

from concurrent.futures import ProcessPoolExecutor

import torch
import torch.distributed as dist
import multiprocessing as mp


def work(rank, n):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29545", rank=rank, world_size=n)
    t = torch.ones(1)
    dist.all_reduce(t)
    dist.barrier()
    dist.destroy_process_group()
    if rank == 0:
        return t.item()
    return None


def test_work():
    with ProcessPoolExecutor(2, mp_context=mp.get_context("spawn")) as pool:
        futures = [pool.submit(work, rank, 2) for rank in range(2)]
        values = [future.result(timeout=60) for future in futures]
    assert values == [2.0, None]
