"""Bad: the parent sits in get(timeout=180) while a dead worker can no longer put anything.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


def _worker(rank, world_size, result_queue):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29601", rank=rank, world_size=world_size)
        t = torch.ones(1)
        dist.all_reduce(t)
        result_queue.put((rank, t.item()))
    except BaseException:
        result_queue.put((rank, traceback.format_exc()))
        raise


def test_sum():
    ctx = mp.get_context("spawn")
    result_queue = ctx.Queue()
    processes = [ctx.Process(target=_worker, args=(r, 2, result_queue)) for r in range(2)]
    for process in processes:
        process.start()
    results = [result_queue.get(timeout=180) for _ in processes]  # <- no-early-exit-check
    for process in processes:
        process.join(timeout=30)
    assert sorted(results) == [(0, 2.0), (1, 2.0)]
