"""Bad: assertTrue(all(...)) says "False is not true".

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing
import unittest


def square(n):
    print(n * n)


class SquareTest(unittest.TestCase):
    def test_processes(self):
        children = [multiprocessing.Process(target=square, args=(n,)) for n in range(2)]
        for child in children:
            child.start()
        for child in children:
            child.join()
        self.assertTrue(all(child.exitcode == 0 for child in children))  # <- bare-exit-code-assertion
