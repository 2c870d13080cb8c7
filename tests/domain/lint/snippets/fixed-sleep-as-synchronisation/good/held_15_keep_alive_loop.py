"""Good: a worker's heartbeat loop sleeps between beats until its Event says stop; the parent waits by Events.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp
import time


def beat(beats, first, stop):
    while not stop.is_set():
        with beats.get_lock():
            beats.value += 1
        first.set()
        time.sleep(0.05)


def test_heart_beats():
    beats, first, stop = mp.Value("i", 0), mp.Event(), mp.Event()
    heart = mp.Process(target=beat, args=(beats, first, stop))
    heart.start()
    while not first.wait(0.2):
        assert heart.is_alive(), heart.exitcode
    stop.set()
    heart.join()
    assert beats.value >= 1
