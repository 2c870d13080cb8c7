"""Bad: a nap so that "the queue has settled" before empty() is asked.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time
from torch.multiprocessing import Process, Queue


def put_all(q, n):
    for i in range(n):
        q.put(i)


def drain(q):
    items = []
    while not q.empty():
        items.append(q.get())
    return items


def test_put_all():
    q = Queue()
    p = Process(target=put_all, args=(q, 5))
    p.start()
    time.sleep(0.3)  # <- fixed-sleep-as-synchronisation
    assert drain(q) == [0, 1, 2, 3, 4]
    p.join()
