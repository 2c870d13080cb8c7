"""Bad: the helper that collects has the queue and a count only, the processes it cannot see.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing
import traceback

import pytest


def collect(queue, count, timeout=100):
    reports = []
    while len(reports) < count:
        reports.append(queue.get(timeout=timeout))  # <- no-early-exit-check
    return reports


def target(index, queue, limit):
    try:
        queue.put({"index": index, "primes": [n for n in range(2, limit) if all(n % d for d in range(2, n))]})
    except Exception:
        queue.put({"index": index, "error": traceback.format_exc()})


@pytest.mark.parametrize("limit", [10, 20])
def test_primes(limit):
    ctx = multiprocessing.get_context("spawn")
    queue = ctx.Queue()
    children = [ctx.Process(target=target, args=(i, queue, limit)) for i in range(2)]
    for child in children:
        child.start()
    for report in collect(queue, len(children)):
        assert report.get("primes", [])[:4] == [2, 3, 5, 7], report
    for child in children:
        child.join()
