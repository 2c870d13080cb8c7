"""Threads of one rank lock each other out while its peer waits for it.

Family: deadlock by torch's own spawn, which ends the rank once its peer has failed.
Expected verdict: deterministic.
Expected cause: deadlock: in rank 1 the threads "MainThread" and "prefetch" wait for each other's locks in
_take.
Must not say: terminated-slow, a late rank, rank 0 is the origin.
"""

import threading

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from ranks import free_port, join_group


def _take(first: threading.Lock, second: threading.Lock, both: threading.Barrier) -> None:
    with first:
        both.wait()
        with second:
            pass


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=3)
    dist.all_reduce(torch.ones(4))
    if rank == 1:
        queue, cache, both = threading.Lock(), threading.Lock(), threading.Barrier(2)
        threading.Thread(target=_take, args=(queue, cache, both), name="prefetch", daemon=True).start()
        _take(cache, queue, both)
    dist.barrier()
    dist.destroy_process_group()


def test_batches_are_fetched() -> None:
    mp.spawn(_worker, args=(free_port(),), nprocs=2)
