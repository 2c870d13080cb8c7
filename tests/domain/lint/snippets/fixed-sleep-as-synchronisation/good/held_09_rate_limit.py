"""Good: the sleep keeps a client within its rate, in one process.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time


class Throttle:
    def __init__(self, gap_s):
        self.gap_s, self.last = gap_s, None

    def __call__(self):
        now = time.monotonic()
        if self.last is not None and now - self.last < self.gap_s:
            time.sleep(self.gap_s - (now - self.last))
        self.last = time.monotonic()


def test_two_calls_are_apart():
    throttle = Throttle(0.05)
    started = time.monotonic()
    throttle()
    throttle()
    assert time.monotonic() - started >= 0.05
