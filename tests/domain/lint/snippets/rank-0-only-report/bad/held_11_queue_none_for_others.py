"""Bad: the queue is given to rank 0 only; the others get None and have nowhere to put an error.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

import torch
import torch.distributed as dist


def _run(rank, world_size, queue):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29551", rank=rank, world_size=world_size)
    t = torch.ones(1)
    dist.all_reduce(t)
    if queue is not None:  # <- rank-0-only-report
        queue.put(t.item())  # <- rank-0-only-report
    dist.barrier()
    dist.destroy_process_group()


def test_two():
    ctx = mp.get_context("spawn")
    queue = ctx.Queue()
    procs = []
    for rank in range(2):
        procs.append(  # <- rank-0-only-report
            ctx.Process(target=_run, args=(rank, 2, queue if rank == 0 else None))
        )
        procs[-1].start()
    assert queue.get(timeout=60) == 2.0
    for p in procs:
        p.join()
