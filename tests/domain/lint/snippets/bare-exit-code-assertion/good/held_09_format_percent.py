"""Good: an old-style %-message holds index and code.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

from torch.multiprocessing import Process


def replica(index):
    print("replica", index)


def test_replicas():
    replicas = []
    for index in range(4):
        r = Process(target=replica, args=(index,))
        r.start()
        replicas.append(r)
    for index, r in enumerate(replicas):
        r.join()
        assert r.exitcode == 0, "replica %d ended with exit code %s" % (index, r.exitcode)
