"""Bad: setUp sleeps after it has started the worker, for it to reach its loop.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing
import time
import unittest


def _loop(value, stop):
    value.value = 1
    stop.wait()


class LoopTest(unittest.TestCase):
    def setUp(self):
        self.value = multiprocessing.Value("i", 0)
        self.stop = multiprocessing.Event()
        self.worker = multiprocessing.Process(target=_loop, args=(self.value, self.stop))
        self.worker.start()
        time.sleep(1.5)  # <- fixed-sleep-as-synchronisation

    def tearDown(self):
        self.stop.set()
        self.worker.join()

    def test_value_is_set(self):
        self.assertEqual(self.value.value, 1)
