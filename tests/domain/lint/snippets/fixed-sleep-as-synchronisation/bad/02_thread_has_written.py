"""Bad: half a second for a thread to have filled the list.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import threading
import time


class Collector:
    def __init__(self):
        self.rows = []

    def run(self):
        for n in range(10):
            self.rows.append(n)


def test_collector():
    collector = Collector()
    thread = threading.Thread(target=collector.run)
    thread.start()
    time.sleep(0.5)  # <- fixed-sleep-as-synchronisation
    assert collector.rows == list(range(10))
