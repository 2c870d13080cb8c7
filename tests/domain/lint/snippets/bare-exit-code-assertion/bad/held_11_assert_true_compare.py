"""Bad: assertTrue(p.exitcode == 0) throws the code away.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing
import unittest


class SpawnCase(unittest.TestCase):
    N = 2

    @staticmethod
    def _child(k):
        print("child", k)

    def test_spawn(self):
        context = multiprocessing.get_context("spawn")
        children = [context.Process(target=self._child, args=(k,)) for k in range(self.N)]
        for c in children:
            c.start()
        for c in children:
            c.join(30)
            self.assertTrue(c.exitcode == 0)  # <- bare-exit-code-assertion
