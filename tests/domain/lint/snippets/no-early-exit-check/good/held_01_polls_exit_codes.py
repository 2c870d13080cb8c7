"""Good: short gets, and between them a look at the exit codes of all processes.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp
import queue
import time
import traceback

import pytest


def _worker(rank, result_queue):
    try:
        result_queue.put((rank, rank * 2.0))
    except BaseException:
        result_queue.put((rank, traceback.format_exc()))
        raise


def test_double():
    ctx = mp.get_context("spawn")
    result_queue = ctx.Queue()
    processes = [ctx.Process(target=_worker, args=(r, result_queue)) for r in range(2)]
    for process in processes:
        process.start()
    results = {}
    deadline = time.monotonic() + 180
    while len(results) < len(processes):
        try:
            rank, value = result_queue.get(timeout=0.5)
            results[rank] = value
        except queue.Empty:
            dead = {r: p.exitcode for r, p in enumerate(processes) if p.exitcode not in (None, 0)}
            if dead:
                pytest.fail(f"workers died before they reported: {dead}")
            assert time.monotonic() < deadline, f"only ranks {sorted(results)} reported in 180 s"
    for process in processes:
        process.join()
    assert results == {0: 0.0, 1: 2.0}
