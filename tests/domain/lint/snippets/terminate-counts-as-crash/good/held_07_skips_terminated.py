"""Good: codes are judged only of those that were not stopped, and the stopped are told in their own words.

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
    stopped = [j for j in jobs if j.is_alive()]
    for j in stopped:
        j.terminate()
        j.join()
    problems = [f"{j.name} crashed with {j.exitcode}" for j in jobs if j not in stopped and j.exitcode != 0]
    problems += [f"{j.name} was slow and was stopped" for j in stopped]
    if problems:
        raise RuntimeError("; ".join(problems))
    return values


def test_squares():
    assert run_jobs(3) == {0: 0, 1: 1, 2: 4}
