"""Good: the child sleeps an hour: it plays the hanging worker that is to be terminated.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late
"""

import multiprocessing
import time
import unittest


def _hang():
    time.sleep(3600)


class HangTest(unittest.TestCase):
    def test_hanging_worker_can_be_terminated(self):
        worker = multiprocessing.Process(target=_hang)
        worker.start()
        worker.terminate()
        worker.join(10)
        self.assertFalse(worker.is_alive())
        self.assertLess(worker.exitcode, 0)
