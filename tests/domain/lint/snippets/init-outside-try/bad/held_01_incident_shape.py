"""Bad: the worker reports by a queue, but init_process_group runs before its try.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, port-found-then-released, rank-local-raise-before-collective
# clean: terminate-counts-as-crash
"""

import multiprocessing as mp
import os
import traceback

import torch
import torch.distributed as dist


def _worker(rank, world_size, port, result_queue):
    os.environ["MASTER_ADDR"] = "127.0.0.1"
    os.environ["MASTER_PORT"] = str(port)
    dist.init_process_group("gloo", rank=rank, world_size=world_size)  # <- init-outside-try
    try:
        value = torch.ones(4) * rank
        dist.all_reduce(value)
        result_queue.put({"rank": rank, "sum": value.tolist()})
    except BaseException:
        result_queue.put({"rank": rank, "traceback": traceback.format_exc()})
        raise
    finally:
        dist.destroy_process_group()


def test_sum_of_two_ranks():
    ctx = mp.get_context("spawn")
    queue = ctx.Queue()
    processes = [ctx.Process(target=_worker, args=(r, 2, 29513, queue)) for r in range(2)]
    for process in processes:
        process.start()
    results = [queue.get(timeout=60) for _ in processes]
    for process in processes:
        process.join(30)
    assert all("traceback" not in r for r in results), results
