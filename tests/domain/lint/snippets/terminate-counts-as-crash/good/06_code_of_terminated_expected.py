"""Good: the test is about terminate itself: its signal is the expected exit code.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective
"""

import signal
import threading
import multiprocessing as mp


def _wait_for_ever():
    threading.Event().wait()


def test_a_terminated_worker_ends_by_sigterm():
    worker = mp.get_context("spawn").Process(target=_wait_for_ever)
    worker.start()
    worker.join(timeout=0.2)
    assert worker.is_alive()
    worker.terminate()
    worker.join()
    assert worker.exitcode == -signal.SIGTERM
