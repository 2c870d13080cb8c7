"""Bad: the shared dict holds the tracebacks, and the exit-code assertion runs first.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def job(i, n, errors):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29564", rank=i, world_size=n)
        xs = [torch.zeros(1) for _ in range(n)]
        dist.all_gather(xs, torch.tensor([float(i)]))
        assert [x.item() for x in xs] == [float(k) for k in range(n)]
    except Exception:
        errors[i] = traceback.format_exc()
        raise


def test_gather():
    manager = mp.Manager()
    errors = manager.dict()
    jobs = [mp.Process(target=job, args=(i, 2, errors)) for i in range(2)]
    for j in jobs:
        j.start()
    for j in jobs:
        j.join(60)
    codes = {j.name: j.exitcode for j in jobs}
    assert set(codes.values()) == {0}, codes  # <- report-asserted-too-late
    assert not errors, "\n".join(f"rank {i}: {text}" for i, text in errors.items())
