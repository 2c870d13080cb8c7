"""Bad: a one-line `queue.put(...) if rank == 0 else None` reports for rank 0 alone.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

WORLD_SIZE = 2


def body(rank, queue):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29552", rank=rank, world_size=WORLD_SIZE)
    x = torch.eye(2)
    dist.all_reduce(x)
    queue.put(x.trace().item()) if rank == 0 else None  # <- rank-0-only-report
    dist.barrier()
    dist.destroy_process_group()


def launch(fn):
    ctx = mp.get_context("spawn")
    queue = ctx.Queue()
    procs = [ctx.Process(target=fn, args=(rank, queue)) for rank in range(WORLD_SIZE)]
    for p in procs:
        p.start()
    answer = queue.get(timeout=45)
    for p in procs:
        p.join()
    return answer


def test_trace():
    assert launch(body) == 4.0
