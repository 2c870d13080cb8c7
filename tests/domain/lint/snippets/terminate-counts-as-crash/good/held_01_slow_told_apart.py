"""Good: the slow are remembered and failed by a message of their own before the exit codes.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report, rank-local-raise-before-collective
"""

import multiprocessing as mp
import traceback

import pytest
import torch
import torch.distributed as dist


def _worker(rank, world_size, q):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29581", rank=rank, world_size=world_size)
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
    slow = []
    for rank, process in enumerate(processes):
        process.join(timeout=10)
        if process.is_alive():
            slow.append(rank)
            process.terminate()
            process.join()
    assert sorted(results) == [(0, 2.0), (1, 2.0)]
    if slow:
        pytest.fail(f"ranks {slow} were terminated because they were slow, they had not crashed")
    assert [process.exitcode for process in processes] == [0, 0]
