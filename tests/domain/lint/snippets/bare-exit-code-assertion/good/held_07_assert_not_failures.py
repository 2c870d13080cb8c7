"""Good: `assert not failures` where pytest shows the dict of names and codes.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing as mp


def check(n):
    assert n * 2 == n + n


class TestCheck:
    def test_children(self):
        procs = [mp.Process(target=check, args=(n,)) for n in range(5)]
        for proc in procs:
            proc.start()
        failures = {}
        for proc in procs:
            proc.join()
            if proc.exitcode != 0:
                failures[proc.name] = proc.exitcode
        assert not failures, failures
