"""Bad: two workers put and the parent gets exactly one item.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


def _worker(rank, world_size, result_queue):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29931", rank=rank, world_size=world_size)
        t = torch.ones(2)
        dist.all_reduce(t)
        result_queue.put({"rank": rank, "values": t.tolist()})
    except BaseException:
        result_queue.put({"rank": rank, "traceback": traceback.format_exc()})
        raise


def test_values():
    ctx = mp.get_context("spawn")
    result_queue = ctx.Queue()
    processes = [ctx.Process(target=_worker, args=(rank, 2, result_queue)) for rank in range(2)]
    for process in processes:
        process.start()
    result = result_queue.get(timeout=180)  # <- one-item-drained
    for process in processes:
        process.join(timeout=30)
    assert result["values"] == [2.0, 2.0]
