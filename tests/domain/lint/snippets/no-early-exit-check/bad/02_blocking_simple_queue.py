"""Bad: SimpleQueue.get() has no timeout at all and nobody looks at the processes.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch.multiprocessing as mp


def _square(rank, q):
    q.put((rank, rank * rank))


def test_squares():
    n = 3
    ctx = mp.get_context("spawn")
    q = ctx.SimpleQueue()
    procs = []
    for rank in range(n):
        p = ctx.Process(target=_square, args=(rank, q))
        p.start()
        procs.append(p)
    found = dict(q.get() for _ in range(n))  # <- no-early-exit-check
    for p in procs:
        p.join()
    assert found == {0: 0, 1: 1, 2: 4}
