"""Bad: only rank 0 puts its result, and no rank reports an exception.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

import torch
import torch.distributed as dist


def _worker(rank, world_size, result_queue):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29541", rank=rank, world_size=world_size)
    t = torch.ones(2) * rank
    dist.all_reduce(t)
    if rank == 0:  # <- rank-0-only-report
        result_queue.put(t.tolist())  # <- rank-0-only-report
    dist.barrier()
    dist.destroy_process_group()


def test_reduce():
    ctx = mp.get_context("spawn")
    queue = ctx.Queue()
    processes = [ctx.Process(target=_worker, args=(r, 2, queue)) for r in range(2)]
    for p in processes:
        p.start()
    result = queue.get(timeout=60)
    for p in processes:
        p.join()
    assert result == [1.0, 1.0]
