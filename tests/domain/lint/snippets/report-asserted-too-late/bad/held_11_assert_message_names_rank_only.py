"""Bad: the loop's assertion tells the rank and code, the traceback waits in `errors` for the next loop.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import traceback
from multiprocessing import Process, Queue

import torch
import torch.distributed as dist


def body(rank, world_size, q):
    error = None
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29571", rank=rank, world_size=world_size)
        x = torch.tensor(rank)
        dist.broadcast(x, src=0)
        assert x == 0
    except Exception:
        error = traceback.format_exc()
    q.put((rank, error))
    if error:
        raise SystemExit(3)


def test_broadcast():
    q = Queue()
    procs = [Process(target=body, args=(rank, 2, q), name=f"rank-{rank}") for rank in range(2)]
    for proc in procs:
        proc.start()
    errors = dict(q.get(timeout=30) for _ in procs)
    for proc in procs:
        proc.join()
    for proc in procs:
        assert not proc.exitcode, f"{proc.name}: exit code {proc.exitcode}"  # <- report-asserted-too-late
    for rank, error in errors.items():
        assert error is None, f"rank {rank}\n{error}"
