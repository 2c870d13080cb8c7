"""Bad: a walrus loop collects those alive, terminates them, and goes on to the common assertion.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective
"""

import multiprocessing
import unittest


def task(k):
    print("task", k)


class TaskTest(unittest.TestCase):
    TIMEOUT_S = 8

    def setUp(self):
        self.tasks = [multiprocessing.Process(target=task, args=(k,)) for k in range(2)]
        for t in self.tasks:
            t.start()

    def test_tasks_end(self):
        for t in self.tasks:
            t.join(self.TIMEOUT_S)
        if alive := [t for t in self.tasks if t.is_alive()]:
            for t in alive:
                t.terminate()  # <- terminate-counts-as-crash
                t.join()
        self.assertEqual([t.exitcode for t in self.tasks], [0, 0])  # <- terminate-counts-as-crash
