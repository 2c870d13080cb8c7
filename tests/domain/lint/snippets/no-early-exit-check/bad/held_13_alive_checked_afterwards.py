"""Bad: is_alive is asked only once the long get has returned, when it helps no more.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback


def job(rank, out):
    try:
        out.put((rank, [rank] * 3))
    except Exception:
        out.put((rank, traceback.format_exc()))


def test_job():
    out = mp.Queue()
    jobs = [mp.Process(target=job, args=(rank, out)) for rank in (0, 1)]
    for j in jobs:
        j.start()
    answers = []
    for _ in jobs:
        answers.append(out.get(timeout=200))  # <- no-early-exit-check
    late = [j.name for j in jobs if j.is_alive()]
    print("still alive:", late)
    for j in jobs:
        j.join()
    assert sorted(answers) == [(0, [0, 0, 0]), (1, [1, 1, 1])]
