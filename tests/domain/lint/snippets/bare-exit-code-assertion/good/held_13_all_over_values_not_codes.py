"""Good: all() without a message, but over values of the workers and not over their exit codes.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

import pytest


def _echo(inbox, outbox):
    outbox.put(inbox.get())


@pytest.fixture
def echoes():
    pairs, procs = [], []
    for _ in range(2):
        inbox, outbox = mp.SimpleQueue(), mp.SimpleQueue()
        p = mp.Process(target=_echo, args=(inbox, outbox))
        p.start()
        procs.append(p)
        pairs.append((inbox, outbox))
    yield pairs
    for p in procs:
        p.join()
    assert [(p.name, p.exitcode) for p in procs if p.exitcode] == []


def test_echo(echoes):
    for number, (inbox, _) in enumerate(echoes):
        inbox.put(number)
    assert all(outbox.get() == number for number, (_, outbox) in enumerate(echoes))
