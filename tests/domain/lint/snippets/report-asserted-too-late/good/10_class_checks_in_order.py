"""Good: the runner asserts the reports that it has found, after that the codes.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import traceback

import torch.multiprocessing as mp


def _entry(rank, fn, reports):
    try:
        fn(rank)
    except Exception:
        reports.put((rank, traceback.format_exc()))
        raise
    reports.put((rank, None))


def _noop(rank):
    assert rank >= 0


class Runner:
    def __init__(self, n):
        self.ctx = mp.get_context("spawn")
        self.reports = self.ctx.Queue()
        self.n = n

    def go(self, fn):
        self.procs = [self.ctx.Process(target=_entry, args=(r, fn, self.reports)) for r in range(self.n)]
        for p in self.procs:
            p.start()
        found = [self.reports.get(timeout=60) for _ in self.procs]
        for p in self.procs:
            p.join()
        assert all(error is None for _, error in found), found
        codes = [p.exitcode for p in self.procs]
        assert codes == [0] * self.n, codes


def test_noop():
    Runner(2).go(_noop)
