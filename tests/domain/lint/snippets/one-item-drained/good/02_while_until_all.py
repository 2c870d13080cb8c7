"""Good: the loop reads until every rank has reported.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import queue
import time

import torch.multiprocessing as mp


def _square(rank, q):
    q.put((rank, rank * rank))


def test_squares():
    world_size = 4
    ctx = mp.get_context("spawn")
    q = ctx.Queue()
    procs = [ctx.Process(target=_square, args=(rank, q)) for rank in range(world_size)]
    for p in procs:
        p.start()
    found = {}
    deadline = time.monotonic() + 30
    while len(found) < world_size:
        try:
            rank, value = q.get(timeout=0.2)
        except queue.Empty:
            assert time.monotonic() < deadline, f"only {sorted(found)} reported"
            continue
        found[rank] = value
    for p in procs:
        p.join()
    assert found == {0: 0, 1: 1, 2: 4, 3: 9}
