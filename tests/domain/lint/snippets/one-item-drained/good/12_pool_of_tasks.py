"""Good: workers take tasks from a queue of many; of the answers as many are read as there were tasks.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp


def _serve(tasks, done):
    while True:
        task = tasks.get()
        if task is None:
            return
        done.put((task, task + 1))


def test_pool():
    tasks, done = mp.Queue(), mp.Queue()
    pool = [mp.Process(target=_serve, args=(tasks, done)) for _ in range(2)]
    for p in pool:
        p.start()
    jobs = list(range(10))
    for job in jobs:
        tasks.put(job)
    answers = dict(done.get(timeout=5) for _ in jobs)
    for _ in pool:
        tasks.put(None)
    for p in pool:
        p.join()
    assert answers == {j: j + 1 for j in jobs}
