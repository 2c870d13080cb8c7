"""Good: every rank puts its result or its traceback.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


def _worker(rank, world_size, result_queue):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29541", rank=rank, world_size=world_size)
        t = torch.ones(2) * rank
        dist.all_reduce(t)
        result_queue.put((rank, t.tolist(), None))
    except BaseException:
        result_queue.put((rank, None, traceback.format_exc()))
        raise


def test_reduce():
    ctx = mp.get_context("spawn")
    queue = ctx.Queue()
    processes = [ctx.Process(target=_worker, args=(r, 2, queue)) for r in range(2)]
    for p in processes:
        p.start()
    for rank, value, error in [queue.get(timeout=60) for _ in processes]:
        assert error is None, f"rank {rank}: {error}"
        assert value == [1.0, 1.0]
