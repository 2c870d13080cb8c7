"""Bad: the helper starts four workers that put, the test reads two items.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

from multiprocessing import Process, Queue


def worker(rank, q):
    q.put(("rank", rank))


def start_all(count):
    q = Queue()
    procs = [Process(target=worker, args=(rank, q)) for rank in range(count)]
    for proc in procs:
        proc.start()
    return q, procs


def test_four_workers():
    q, procs = start_all(4)
    one = q.get(timeout=3)  # <- one-item-drained
    two = q.get(timeout=3)  # <- one-item-drained
    for proc in procs:
        proc.join()
    assert {one[0], two[0]} == {"rank"}
