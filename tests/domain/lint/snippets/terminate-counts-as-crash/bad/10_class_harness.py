"""Bad: the harness's stop() is how slow workers end, and check() cannot tell them from crashed ones.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective
"""

import multiprocessing as mp


def _noop(rank):
    print(rank)


class Cluster:
    def __init__(self, size):
        self.workers = [mp.Process(target=_noop, args=(rank,)) for rank in range(size)]

    def __enter__(self):
        for worker in self.workers:
            worker.start()
        return self

    def stop(self, grace_s=2.0):
        for worker in self.workers:
            worker.join(grace_s)
            if worker.is_alive():
                worker.terminate()  # <- terminate-counts-as-crash
                worker.join()

    def check(self):
        bad = {w.name: w.exitcode for w in self.workers if w.exitcode}
        assert not bad, bad  # <- terminate-counts-as-crash

    def __exit__(self, *exc):
        self.stop()
        self.check()


def test_cluster():
    with Cluster(3) as cluster:
        assert len(cluster.workers) == 3
