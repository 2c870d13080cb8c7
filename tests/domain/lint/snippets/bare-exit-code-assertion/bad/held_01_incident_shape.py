"""Bad: all() over the exit codes: `assert False` names neither the process nor its code.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


def _worker(rank, world_size, q):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29621", rank=rank, world_size=world_size)
        t = torch.ones(1)
        dist.all_reduce(t)
        q.put((rank, t.item()))
    except BaseException:
        q.put((rank, traceback.format_exc()))
        raise


def test_sum():
    ctx = mp.get_context("spawn")
    q = ctx.Queue()
    processes = [ctx.Process(target=_worker, args=(r, 2, q)) for r in range(2)]
    for process in processes:
        process.start()
    results = [q.get(timeout=120) for _ in processes]
    for process in processes:
        process.join()
    assert sorted(results) == [(0, 2.0), (1, 2.0)]
    assert all(process.exitcode == 0 for process in processes)  # <- bare-exit-code-assertion
