"""A thread fills a cache while the test sleeps.

Family: no rank anywhere; a race between threads.
Expected verdict: passes at 2 and 1 CPU; fails at 0.25 CPU.
Expected cause: test-assertion: the cache held fewer than 5 entries after the sleep.
Must not say: a rank, a crash, a deadlock.
"""

import threading
import time

CACHE: list[int] = []


def _fill() -> None:
    for number in range(5):
        end = time.thread_time() + 0.04
        while time.thread_time() < end:
            pass
        CACHE.append(number)


def test_cache_is_full() -> None:
    filler = threading.Thread(target=_fill, name="filler", daemon=True)
    filler.start()
    time.sleep(0.5)
    assert len(CACHE) == 5
