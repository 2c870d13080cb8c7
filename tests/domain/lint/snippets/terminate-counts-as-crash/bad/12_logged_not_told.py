"""Bad: slowness is only logged; the assertion with its code -15 reads as a crash.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective
"""

import logging

import pytest
from torch.multiprocessing import Process

log = logging.getLogger(__name__)


def replica(index, steps):
    x = 1.0
    for _ in range(steps):
        x = x * 0.5 + index
    log.info("replica %d ends with %f", index, x)


@pytest.mark.parametrize("steps", [10, 1000])
def test_replicas(steps):
    replicas = [Process(target=replica, args=(i, steps)) for i in range(2)]
    for r in replicas:
        r.start()
    for r in replicas:
        r.join(10)
        if r.is_alive():
            log.warning("%s takes long", r.name)
            r.terminate()  # <- terminate-counts-as-crash
            r.join()
    codes = [(r.name, r.exitcode) for r in replicas]
    assert all(code == 0 for _, code in codes), codes  # <- terminate-counts-as-crash
