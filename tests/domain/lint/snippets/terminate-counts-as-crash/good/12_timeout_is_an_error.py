"""Good: a slow replica raises TimeoutError with its name right where it is terminated.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective
"""

import pytest
from torch.multiprocessing import Process


def replica(index, steps):
    x = 1.0
    for _ in range(steps):
        x = x * 0.5 + index
    print(x)


def finish(replicas, limit_s):
    for r in replicas:
        r.join(limit_s)
        if r.is_alive():
            r.terminate()
            raise TimeoutError(f"{r.name} was still running after {limit_s} s")


@pytest.mark.parametrize("steps", [10, 1000])
def test_replicas(steps):
    replicas = [Process(target=replica, args=(i, steps)) for i in range(2)]
    for r in replicas:
        r.start()
    finish(replicas, limit_s=10)
    assert all(r.exitcode == 0 for r in replicas), [(r.name, r.exitcode) for r in replicas]
