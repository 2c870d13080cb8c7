"""Good: a code of -SIGTERM is told as slow, all other non-zero ones as crashed.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective
"""

import multiprocessing
import signal
import unittest


def task(k):
    print("task", k)


def verdict(process):
    if process.exitcode == -signal.SIGTERM:
        return "stopped because it was slow"
    return "fine" if process.exitcode == 0 else f"crashed with {process.exitcode}"


class TaskTest(unittest.TestCase):
    TIMEOUT_S = 8

    def setUp(self):
        self.tasks = [multiprocessing.Process(target=task, args=(k,)) for k in range(2)]
        for t in self.tasks:
            t.start()

    def test_tasks_end(self):
        for t in self.tasks:
            t.join(self.TIMEOUT_S)
            if t.is_alive():
                t.terminate()
                t.join()
        self.assertEqual([verdict(t) for t in self.tasks], ["fine", "fine"])
