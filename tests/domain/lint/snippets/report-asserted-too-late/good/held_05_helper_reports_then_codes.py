"""Good: the helper raises the worker's traceback before it looks at any exit code.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback


def _guard(fn, rank, q):
    try:
        q.put((rank, fn(rank), None))
    except BaseException:
        q.put((rank, None, traceback.format_exc()))
        raise


def run_workers(fn, n):
    ctx = mp.get_context("fork")
    q = ctx.Queue()
    procs = [ctx.Process(target=_guard, args=(fn, rank, q)) for rank in range(n)]
    for p in procs:
        p.start()
    reports = [q.get(timeout=30) for _ in procs]
    for p in procs:
        p.join()
    for rank, _, error in reports:
        if error:
            raise RuntimeError(f"worker {rank} raised\n{error}")
    for rank, p in enumerate(procs):
        if p.exitcode != 0:
            raise RuntimeError(f"worker {rank} ended with {p.exitcode}")
    return [value for _, value, _ in sorted(reports)]


def test_double():
    assert run_workers(lambda rank: rank * 2, 3) == [0, 2, 4]
