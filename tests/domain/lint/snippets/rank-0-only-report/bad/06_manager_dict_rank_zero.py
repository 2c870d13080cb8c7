"""Bad: the shared dict gets an entry from the main rank only, also where it fails.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def _job(rank, world_size, shared):
    is_main = rank == 0
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29546", rank=rank, world_size=world_size)
        x = torch.ones(1)
        dist.all_reduce(x)
        if is_main:
            shared["value"] = x.item()
    except Exception:
        if is_main:  # <- rank-0-only-report
            shared["error"] = traceback.format_exc()  # <- rank-0-only-report


def test_value():
    with mp.Manager() as manager:
        shared = manager.dict()
        jobs = [mp.Process(target=_job, args=(rank, 2, shared)) for rank in range(2)]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        assert "error" not in shared, shared["error"]
        assert shared["value"] == 2.0
