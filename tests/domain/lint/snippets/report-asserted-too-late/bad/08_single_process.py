"""Bad: one child, whose exit code is asserted above the error that it has sent.

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
        raise


def test_import_in_a_fresh_interpreter():
    spawn = multiprocessing.get_context("spawn")
    q = spawn.SimpleQueue()
    p = spawn.Process(target=_import_in_child, args=("json", q))
    p.start()
    error = q.get()
    p.join()
    assert p.exitcode == 0, f"child ended with {p.exitcode}"  # <- report-asserted-too-late
    assert error == "", error
