"""Bad: `any(is_alive())` after the joins stops them all, and a RuntimeError says "crashed" for each code.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective
"""

import multiprocessing
import traceback


def _job(i, q):
    try:
        q.put((i, i**2))
    except Exception:
        q.put((i, traceback.format_exc()))


def run_jobs(n):
    q = multiprocessing.SimpleQueue()
    jobs = [multiprocessing.Process(target=_job, args=(i, q)) for i in range(n)]
    [j.start() for j in jobs]
    values = dict(q.get() for _ in jobs)
    [j.join(timeout=3) for j in jobs]
    if any(j.is_alive() for j in jobs):
        [j.terminate() for j in jobs]  # <- terminate-counts-as-crash
        [j.join() for j in jobs]
    for j in jobs:
        if j.exitcode != 0:  # <- terminate-counts-as-crash
            raise RuntimeError(f"{j.name} crashed with {j.exitcode}")  # <- terminate-counts-as-crash
    return values


def test_squares():
    assert run_jobs(3) == {0: 0, 1: 1, 2: 4}
