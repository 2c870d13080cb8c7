"""Bad: all(map(lambda ...)) in a fixture's teardown.

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
    assert all(map(lambda p: p.exitcode == 0, procs))  # <- bare-exit-code-assertion


def test_echo(echoes):
    for number, (inbox, outbox) in enumerate(echoes):
        inbox.put(number)
        assert outbox.get() == number
