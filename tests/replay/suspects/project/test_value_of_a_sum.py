"""The ranks agree, and the test expects something else.

Family: test-assertion by fork.
Expected verdict: deterministic.
Expected cause: test-assertion: the sums [3.0, 3.0] are not [4.0, 4.0]; every collective matched.
Must not say: a rank failed, a mismatch, a crash.
"""

import multiprocessing

import torch
import torch.distributed as dist
from ranks import free_port, join_group


def _worker(rank: int, port: int, sums: multiprocessing.SimpleQueue) -> None:
    join_group(rank, port)
    total = torch.tensor([float(rank + 1)])
    dist.all_reduce(total)
    sums.put(float(total))
    dist.destroy_process_group()


def test_sum_is_four() -> None:
    context = multiprocessing.get_context("fork")
    sums, port = context.SimpleQueue(), free_port()
    workers = [context.Process(target=_worker, args=(rank, port, sums)) for rank in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=30)
    assert [sums.get() for _ in workers] == [4.0, 4.0]
