"""Bad: one deadline for all; whoever is late gets SIGTERM and the same error as a crash.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective
"""

import os
import signal
import time
import multiprocessing as mp

import pytest


def train(rank):
    total = 0
    for i in range(1000 * (rank + 1)):
        total += i
    print(rank, total)


def test_train():
    workers = {rank: mp.Process(target=train, args=(rank,)) for rank in range(2)}
    for worker in workers.values():
        worker.start()
    deadline = time.monotonic() + 20
    for worker in workers.values():
        worker.join(max(0.0, deadline - time.monotonic()))
        if worker.is_alive():
            os.kill(worker.pid, signal.SIGTERM)  # <- terminate-counts-as-crash
            worker.join()
    crashed = {rank: worker.exitcode for rank, worker in workers.items() if worker.exitcode != 0}
    if crashed:  # <- terminate-counts-as-crash
        pytest.fail(f"workers crashed: {crashed}")  # <- terminate-counts-as-crash
