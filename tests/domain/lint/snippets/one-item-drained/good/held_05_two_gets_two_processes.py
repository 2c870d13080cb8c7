"""Good: two processes and two explicit gets.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

from multiprocessing import Process, SimpleQueue


def worker(name, q):
    q.put((name, name.upper()))


def test_pair():
    q = SimpleQueue()
    left = Process(target=worker, args=("left", q))
    right = Process(target=worker, args=("right", q))
    left.start()
    right.start()
    one = q.get()
    two = q.get()
    left.join()
    right.join()
    assert dict([one, two]) == {"left": "LEFT", "right": "RIGHT"}
