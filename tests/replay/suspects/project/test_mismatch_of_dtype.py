"""A rank sends counts, the other one fractions, and the bytes are added all the same.

Family: collective-mismatch of the dtype, by spawn; no rank fails, the sum is wrong.
Expected verdict: deterministic.
Expected cause: collective-mismatch: at WORLD's collective 2 rank 0 has float32, rank 1 has int32.
Must not say: test-assertion alone, a crash.
"""

import multiprocessing

import torch
import torch.distributed as dist
from ranks import free_port, join_group


def _worker(rank: int, port: int, totals: multiprocessing.SimpleQueue) -> None:
    join_group(rank, port, timeout_s=6)
    dist.barrier()
    seen = torch.tensor([2.0]) if rank == 0 else torch.tensor([2], dtype=torch.int32)
    dist.all_reduce(seen)
    totals.put(float(seen))
    dist.destroy_process_group()


def test_total_is_right() -> None:
    context = multiprocessing.get_context("spawn")
    totals, port = context.SimpleQueue(), free_port()
    workers = [context.Process(target=_worker, args=(rank, port, totals)) for rank in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=30)
    assert [totals.get() for _ in workers] == [4.0, 4.0]
