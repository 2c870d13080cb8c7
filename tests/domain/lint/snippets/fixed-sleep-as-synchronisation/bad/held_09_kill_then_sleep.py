"""Bad: one second for a terminated process to be gone, where join would wait for it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late
"""

import multiprocessing as mp
import threading
import time


def hang():
    threading.Event().wait()


def test_terminated_worker_is_gone():
    worker = mp.Process(target=hang)
    worker.start()
    worker.terminate()
    time.sleep(1)  # <- fixed-sleep-as-synchronisation
    assert not worker.is_alive()
