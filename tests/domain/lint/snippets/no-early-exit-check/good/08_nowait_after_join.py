"""Good: all processes were joined; the reads that follow do not wait.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import queue as queue_module

import torch.multiprocessing as mp


def _load(rank, q):
    q.put((rank, "loaded"))


def test_load():
    with mp.Manager() as manager:
        q = manager.Queue()
        procs = [mp.Process(target=_load, args=(rank, q)) for rank in range(2)]
        for p in procs:
            p.start()
        for p in procs:
            p.join(60)
        reports = {}
        for _ in procs:
            try:
                rank, word = q.get_nowait()
            except queue_module.Empty:
                break
            reports[rank] = word
    codes = [p.exitcode for p in procs]
    assert reports == {0: "loaded", 1: "loaded"}, codes
