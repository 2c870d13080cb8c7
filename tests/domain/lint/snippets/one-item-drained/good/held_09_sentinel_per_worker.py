"""Good: the reader goes on until it has seen one None from each of the workers.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp


def produce(index, q):
    for number in range(index):
        q.put((index, number))
    q.put(None)


def test_producers():
    q = mp.Queue()
    producers = [mp.Process(target=produce, args=(i, q)) for i in range(1, 4)]
    for p in producers:
        p.start()
    open_count = len(producers)
    rows = []
    while open_count:
        row = q.get(timeout=10)
        if row is None:
            open_count -= 1
        else:
            rows.append(row)
    for p in producers:
        p.join()
    assert len(rows) == 6
