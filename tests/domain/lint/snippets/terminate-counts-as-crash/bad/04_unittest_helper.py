"""Bad: the helper stops late children and the test case asserts on their codes as on any other.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective
"""

import multiprocessing
import unittest


def _join_or_stop(children, timeout):
    for child in children:
        child.join(timeout)
        if child.is_alive():
            child.terminate()  # <- terminate-counts-as-crash
            child.join()


def _count(n):
    return sum(1 for _ in range(n))


class CountTest(unittest.TestCase):
    def test_count(self):
        children = [multiprocessing.Process(target=_count, args=(10**n,)) for n in (3, 4, 5)]
        for child in children:
            child.start()
        _join_or_stop(children, timeout=15)
        for child in children:
            self.assertEqual(0, child.exitcode, child.name)  # <- terminate-counts-as-crash
