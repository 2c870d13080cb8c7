"""Good: the sleep gives the stopwatch under test something to measure.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time
from contextlib import contextmanager


@contextmanager
def stopwatch(laps):
    started = time.perf_counter()
    try:
        yield
    finally:
        laps.append(time.perf_counter() - started)


def test_stopwatch():
    laps = []
    with stopwatch(laps):
        time.sleep(0.02)
    with stopwatch(laps):
        pass
    assert laps[0] >= 0.02 > laps[1]
