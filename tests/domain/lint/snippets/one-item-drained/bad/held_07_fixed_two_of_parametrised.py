"""Bad: the number of workers is a parameter of up to eight and the reads are two for ever.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import pytest
import torch.multiprocessing as mp


def _produce(rank, queue):
    queue.put({"rank": rank, "ok": True})


@pytest.mark.parametrize("n", [4, 8])
def test_all_ok(n):
    queue = mp.get_context("fork").Queue()
    procs = [mp.get_context("fork").Process(target=_produce, args=(i, queue)) for i in range(n)]
    for proc in procs:
        proc.start()
    reports = [queue.get(timeout=5) for _ in range(2)]  # <- one-item-drained
    for proc in procs:
        proc.join()
    assert all(report["ok"] for report in reports)
