"""Good: join has no timeout, so nobody slow is ever stopped; terminate serves only where the queue has failed.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
"""

import multiprocessing as mp
import queue


def launch(rank, q):
    q.put(rank)


def test_launch():
    ctx = mp.get_context("spawn")
    q = ctx.Queue()
    procs = [ctx.Process(target=launch, args=(rank, q)) for rank in range(2)]
    for p in procs:
        p.start()
    try:
        ranks = sorted(q.get(timeout=60) for _ in procs)
    except queue.Empty:
        for p in procs:
            p.terminate()
        raise
    for p in procs:
        p.join()
    assert ranks == [0, 1]
    assert [p.exitcode for p in procs] == [0, 0]
