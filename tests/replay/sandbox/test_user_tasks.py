"""Processes and threads of a user, counted from the kernel's own list."""

import os
import threading

from worker.replay.sandbox.user_tasks import tasks_of


def test_threads_count_and_strangers_do_not() -> None:
    goes_on = threading.Event()
    threads = [threading.Thread(target=goes_on.wait) for _ in range(30)]
    for thread in threads:
        thread.start()
    try:
        assert tasks_of(os.geteuid()) > len(threads)
        assert tasks_of(2**31 - 7) == 0
    finally:
        goes_on.set()
        for thread in threads:
            thread.join()
