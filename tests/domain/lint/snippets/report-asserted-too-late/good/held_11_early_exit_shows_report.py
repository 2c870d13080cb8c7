"""Good: the early exit check stands first, but it drains the queue and shows the tracebacks.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import queue as queue_module
import traceback
from multiprocessing import Process, Queue

import pytest


def body(rank, q):
    try:
        assert rank < 2
        q.put((rank, None))
    except Exception:
        q.put((rank, traceback.format_exc()))
        raise


def drained(q):
    found = []
    while True:
        try:
            found.append(q.get(timeout=0.5))
        except queue_module.Empty:
            return found


def test_early_exit_is_told():
    q = Queue()
    procs = [Process(target=body, args=(rank, q), name=f"rank-{rank}") for rank in range(2)]
    for proc in procs:
        proc.start()
    for proc in procs:
        proc.join(20)
    crashed = {proc.name: proc.exitcode for proc in procs if proc.exitcode != 0}
    if crashed:
        pytest.fail(f"crashed: {crashed}, reports: {drained(q)}")
    assert sorted(rank for rank, _ in drained(q)) == [0, 1]
