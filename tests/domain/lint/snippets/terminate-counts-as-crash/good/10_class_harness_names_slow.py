"""Good: the harness's check() raises for slow workers first, and names them so.

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
        self.terminated = set()

    def __enter__(self):
        for worker in self.workers:
            worker.start()
        return self

    def stop(self, grace_s=2.0):
        for worker in self.workers:
            worker.join(grace_s)
            if worker.is_alive():
                self.terminated.add(worker.name)
                worker.terminate()
                worker.join()

    def check(self):
        assert not self.terminated, f"terminated because slow: {sorted(self.terminated)}"
        bad = {w.name: w.exitcode for w in self.workers if w.exitcode}
        assert not bad, bad

    def __exit__(self, *exc):
        self.stop()
        self.check()


def test_cluster():
    with Cluster(3) as cluster:
        assert len(cluster.workers) == 3
