"""Good: a helper returns both, and the test asserts the reports before the codes.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing
import traceback


def _work(rank, reports):
    try:
        reports[rank] = str(10 // (rank + 1))
    except Exception:
        reports[rank] = traceback.format_exc()
        raise


def launch(n):
    manager = multiprocessing.Manager()
    reports = manager.dict()
    procs = [multiprocessing.Process(target=_work, args=(rank, reports)) for rank in range(n)]
    for p in procs:
        p.start()
    for p in procs:
        p.join()
    return [p.exitcode for p in procs], dict(reports)


def test_launch():
    exit_codes, reports = launch(3)
    assert reports == {0: "10", 1: "5", 2: "3"}, reports
    assert exit_codes == [0, 0, 0]
