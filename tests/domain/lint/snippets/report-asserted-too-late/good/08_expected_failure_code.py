"""Good: the child is meant to fail: the code is asserted to be 1, and then what it has reported.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing
import traceback


def _import_in_child(name, q):
    try:
        __import__(name)
        q.put("")
    except ImportError:
        q.put(traceback.format_exc())
        raise SystemExit(1)


def test_missing_module_ends_the_child_with_1():
    spawn = multiprocessing.get_context("spawn")
    q = spawn.SimpleQueue()
    p = spawn.Process(target=_import_in_child, args=("no_such_module", q))
    p.start()
    error = q.get()
    p.join()
    assert p.exitcode == 1, error
    assert "no_such_module" in error
