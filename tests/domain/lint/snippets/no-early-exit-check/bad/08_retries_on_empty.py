"""Bad: the loop tries again on Empty until the deadline and never asks whether anybody still lives.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import queue as queue_module
import time

import torch.multiprocessing as mp


def _load(rank, q):
    q.put((rank, "loaded"))


def test_load():
    q = mp.Queue()
    procs = [mp.Process(target=_load, args=(rank, q)) for rank in range(2)]
    for p in procs:
        p.start()
    reports = {}
    end = time.monotonic() + 240
    while len(reports) < 2 and time.monotonic() < end:
        try:
            rank, word = q.get(timeout=1.0)  # <- no-early-exit-check
        except queue_module.Empty:
            continue
        reports[rank] = word
    for p in procs:
        p.join(1)
    assert reports == {0: "loaded", 1: "loaded"}
