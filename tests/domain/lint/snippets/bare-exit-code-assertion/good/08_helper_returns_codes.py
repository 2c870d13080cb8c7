"""Good: the helper returns the codes themselves, in order of ranks, and each test compares them.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch.multiprocessing as mp


def _add(rank, a, b):
    print(rank, a + b)


def _multiply(rank, a, b):
    print(rank, a * b)


def exit_codes(target, *args):
    procs = [mp.Process(target=target, args=(rank, *args)) for rank in range(2)]
    for p in procs:
        p.start()
    for p in procs:
        p.join()
    return [p.exitcode for p in procs]


def test_add():
    assert exit_codes(_add, 1, 2) == [0, 0]


def test_multiply():
    assert exit_codes(_multiply, 1, 2) == [0, 0]
