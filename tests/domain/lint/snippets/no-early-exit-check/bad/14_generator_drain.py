"""Bad: iter(queue.get, "end") blocks in the parent for a sentinel of a worker that may have died.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing


def count(upto, rows):
    for n in range(upto):
        rows.put(n)
    rows.put("end")


def test_rows_arrive_in_order():
    rows = multiprocessing.Queue()
    counter = multiprocessing.Process(target=count, args=(5, rows))
    counter.start()
    seen = list(iter(rows.get, "end"))  # <- no-early-exit-check
    counter.join()
    assert seen == [0, 1, 2, 3, 4]
