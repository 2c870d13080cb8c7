"""Bad: three processes put their outcome, two explicit gets read.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

import pytest


def compute(shard, q):
    try:
        q.put((shard, sum(range(shard * 10))))
    except Exception as e:
        q.put((shard, e))


@pytest.fixture
def q():
    return mp.Queue()


def test_shards(q):
    a = mp.Process(target=compute, args=(0, q))
    b = mp.Process(target=compute, args=(1, q))
    c = mp.Process(target=compute, args=(2, q))
    for p in (a, b, c):
        p.start()
    first = q.get(timeout=10)  # <- one-item-drained
    second = q.get(timeout=10)  # <- one-item-drained
    for p in (a, b, c):
        p.join()
    for shard, value in (first, second):
        assert value == sum(range(shard * 10))
