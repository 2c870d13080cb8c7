"""Bad: the helper returns a bare boolean for its exit codes, the tests assert it.

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


def run_ok(target, *args):
    procs = [mp.Process(target=target, args=(rank, *args)) for rank in range(2)]
    for p in procs:
        p.start()
    for p in procs:
        p.join()
    return all(p.exitcode == 0 for p in procs)  # <- bare-exit-code-assertion


def test_add():
    assert run_ok(_add, 1, 2)  # <- bare-exit-code-assertion


def test_multiply():
    assert run_ok(_multiply, 1, 2)  # <- bare-exit-code-assertion
