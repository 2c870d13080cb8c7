"""Bad: pool.submit and a sleep, with the future thrown away.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time
from concurrent.futures import ThreadPoolExecutor

results = {}


def compute(n):
    results[n] = n**2


def test_compute_in_the_background():
    pool = ThreadPoolExecutor(2)
    for n in range(4):
        pool.submit(compute, n)
    time.sleep(0.1)  # <- fixed-sleep-as-synchronisation
    assert results == {0: 0, 1: 1, 2: 4, 3: 9}
    pool.shutdown()
