"""Good: the tracebacks are asserted before the exit codes.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


def _worker(rank, world_size, result_queue):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29561", rank=rank, world_size=world_size)
        t = torch.ones(1)
        dist.all_reduce(t)
        result_queue.put({"rank": rank, "sum": t.item()})
    except BaseException:
        result_queue.put({"rank": rank, "traceback": traceback.format_exc()})
        raise


def test_sum():
    ctx = mp.get_context("spawn")
    result_queue = ctx.Queue()
    processes = [ctx.Process(target=_worker, args=(r, 2, result_queue)) for r in range(2)]
    for process in processes:
        process.start()
    results = [result_queue.get(timeout=180) for _ in processes]
    for process in processes:
        process.join(timeout=30)
    for result in results:
        assert "traceback" not in result, result["traceback"]
    assert all(process.exitcode == 0 for process in processes)
