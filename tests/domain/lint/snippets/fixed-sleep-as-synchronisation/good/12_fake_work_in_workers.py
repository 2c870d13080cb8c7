"""Good: each worker's sleep is its pretended work, the parent joins.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import random
import time
from torch.multiprocessing import Process, Queue


def work(index, q, seed):
    rng = random.Random(seed + index)
    time.sleep(rng.uniform(0, 0.1))
    q.put(index)


def test_every_worker_reports():
    q = Queue()
    workers = [Process(target=work, args=(i, q, 7)) for i in range(3)]
    for w in workers:
        w.start()
    reported = sorted(q.get(timeout=30) for _ in workers)
    for w in workers:
        w.join()
    assert reported == [0, 1, 2]
