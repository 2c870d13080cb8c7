"""Good: poll(0.1) in a loop on `p.is_alive()`.

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
    while not ours.poll(0.1):
        if not p.is_alive() and not ours.poll(0):
            raise RuntimeError(f"the child ended with {p.exitcode} and said nothing")
    answer = ours.recv()
    p.join()
    return answer


def test_trace():
    assert run_in_child(10) == 45
