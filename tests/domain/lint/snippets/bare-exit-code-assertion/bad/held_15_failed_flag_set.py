"""Bad: `failed = True` is all that remains of a code, and the assertion's message is a constant.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

MESSAGE = "distributed workers did not end cleanly"


def participant(rank, steps):
    for step in range(steps):
        print(rank, step)


def test_participants():
    group = [mp.Process(target=participant, args=(rank, 3)) for rank in range(2)]
    for member in group:
        member.start()
    failed = False
    for member in group:
        member.join()
        if member.exitcode != 0:
            failed = True
    assert not failed, MESSAGE  # <- bare-exit-code-assertion
