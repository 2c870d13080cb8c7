"""Good: one test asserts codes of workers that report nothing; the other, reports first.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback


def _silent(rank):
    print("rank", rank)


def _speaking(rank, q):
    try:
        q.put((rank, None))
    except Exception:
        q.put((rank, traceback.format_exc()))


def test_silent_workers_end_well():
    procs = [mp.Process(target=_silent, args=(rank,)) for rank in range(2)]
    for p in procs:
        p.start()
    for p in procs:
        p.join()
    assert [p.exitcode for p in procs] == [0, 0]


def test_speaking_workers():
    q = mp.Queue()
    procs = [mp.Process(target=_speaking, args=(rank, q)) for rank in range(2)]
    for p in procs:
        p.start()
    reports = [q.get(timeout=20) for _ in procs]
    assert all(error is None for _, error in reports), reports
    for p in procs:
        p.join()
    assert [p.exitcode for p in procs] == [0, 0]
