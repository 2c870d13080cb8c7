"""Bad: a pickled exception is re-raised below the assertion on the code of its process.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp

import pytest


def _call(conn, fn):
    try:
        conn.send(fn())
    except Exception as exc:
        conn.send(exc)
        raise
    finally:
        conn.close()


def in_child(fn):
    ctx = mp.get_context("fork")
    ours, theirs = ctx.Pipe()
    p = ctx.Process(target=_call, args=(theirs, fn))
    p.start()
    theirs.close()
    answer = ours.recv()
    p.join()
    assert p.exitcode == 0, p.exitcode  # <- report-asserted-too-late
    if isinstance(answer, Exception):
        raise answer
    return answer


@pytest.mark.parametrize("value", [1, 2])
def test_in_child(value):
    assert in_child(lambda: value) == value
