"""Bad: poll(90) waits all of its time if the child is gone, as the writer is open here too.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp
from multiprocessing import Pipe


def _trace(conn, n):
    conn.send(sum(range(n)))
    conn.close()


def run_in_child(n):
    ours, theirs = Pipe()
    p = mp.Process(target=_trace, args=(theirs, n))
    p.start()
    if not ours.poll(90):  # <- no-early-exit-check
        raise TimeoutError("no answer after 90 s")
    answer = ours.recv()
    p.join()
    return answer


def test_trace():
    assert run_in_child(10) == 45
