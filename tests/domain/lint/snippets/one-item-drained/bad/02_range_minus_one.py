"""Bad: the drain loop runs world_size - 1 times although all of the ranks put.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch.multiprocessing as mp


def _square(rank, queue):
    queue.put((rank, rank * rank))


def test_squares():
    world_size = 4
    ctx = mp.get_context("spawn")
    queue = ctx.SimpleQueue()
    procs = []
    for rank in range(world_size):
        p = ctx.Process(target=_square, args=(rank, queue))
        p.start()
        procs.append(p)
    found = {}
    for _ in range(world_size - 1):  # <- one-item-drained
        rank, value = queue.get()  # <- one-item-drained
        found[rank] = value
    for p in procs:
        p.join()
    assert all(value == rank**2 for rank, value in found.items())
