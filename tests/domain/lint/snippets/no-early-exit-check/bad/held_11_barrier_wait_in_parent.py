"""Bad: the parent takes part in a multiprocessing.Barrier that a dead worker never reaches.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp


def phase(barrier, q, rank):
    q.put((rank, "first"))
    barrier.wait()
    q.put((rank, "second"))


def test_phases():
    barrier = mp.Barrier(3)
    q = mp.Queue()
    workers = [mp.Process(target=phase, args=(barrier, q, rank)) for rank in range(2)]
    for w in workers:
        w.start()
    barrier.wait(timeout=300)  # <- no-early-exit-check
    words = sorted(q.get(timeout=30)[1] for _ in range(4))  # <- no-early-exit-check
    for w in workers:
        w.join()
    assert words == ["first", "first", "second", "second"]
