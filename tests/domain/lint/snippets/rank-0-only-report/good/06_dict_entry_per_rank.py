"""Good: the shared dict gets an entry from each rank; only a summary besides is of the main rank.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
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
            shared["summary"] = x.item()
        shared[rank] = "ok"
    except Exception:
        shared[rank] = traceback.format_exc()


def test_value():
    with mp.Manager() as manager:
        shared = manager.dict()
        jobs = [mp.Process(target=_job, args=(rank, 2, shared)) for rank in range(2)]
        for job in jobs:
            job.start()
        for job in jobs:
            job.join()
        assert (shared.get(0), shared.get(1)) == ("ok", "ok"), dict(shared)
        assert shared["summary"] == 2.0
