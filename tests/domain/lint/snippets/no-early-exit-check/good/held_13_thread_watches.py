"""Good: a thread joins each process and puts its code on the same queue, which wakes the reader.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp
import threading


def job(rank, out):
    out.put(("value", rank, [rank] * 3))


def _watch(rank, process, out):
    process.join()
    out.put(("exit", rank, process.exitcode))


def test_job():
    out = mp.Queue()
    jobs = [mp.Process(target=job, args=(rank, out)) for rank in (0, 1)]
    for rank, j in enumerate(jobs):
        j.start()
        threading.Thread(target=_watch, args=(rank, j, out), daemon=True).start()
    values, ended = {}, {}
    while len(ended) < 2:
        kind, rank, value = out.get(timeout=200)
        (values if kind == "value" else ended)[rank] = value
        assert ended.get(rank, 0) == 0, f"rank {rank} ended with {value}"
    assert values == {0: [0, 0, 0], 1: [1, 1, 1]}
