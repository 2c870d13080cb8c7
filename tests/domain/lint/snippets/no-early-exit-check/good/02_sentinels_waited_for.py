"""Good: connection.wait watches the reader and the processes' sentinels together.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

from multiprocessing import connection

import torch.multiprocessing as mp


def _square(rank, q):
    q.put((rank, rank * rank))


def test_squares():
    n = 3
    ctx = mp.get_context("spawn")
    q = ctx.SimpleQueue()
    procs = [ctx.Process(target=_square, args=(rank, q)) for rank in range(n)]
    for p in procs:
        p.start()
    found = {}
    waiting = {p.sentinel: p for p in procs}
    while len(found) < n:
        ready = connection.wait([q._reader, *waiting], timeout=60)
        assert ready, f"nothing within 60 s, found {found}"
        if q._reader in ready:
            rank, value = q.get()
            found[rank] = value
            continue
        for sentinel in ready:
            dead = waiting.pop(sentinel)
            dead.join()
            assert dead.exitcode == 0, f"{dead.name} ended with {dead.exitcode}"
    assert found == {0: 0, 1: 1, 2: 4}
