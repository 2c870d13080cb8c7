"""Bad: `failed = any(...)` is asserted before the list of reports.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


def _target(rank, size, box):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29569", rank=rank, world_size=size)
        dist.barrier()
    except BaseException as e:
        box.append((rank, "".join(traceback.format_exception(e))))
        raise


def test_barrier():
    with mp.Manager() as manager:
        box = manager.list()
        procs = {rank: mp.Process(target=_target, args=(rank, 2, box)) for rank in range(2)}
        for p in procs.values():
            p.start()
        for p in procs.values():
            p.join()
        failed = [rank for rank, p in procs.items() if p.exitcode != 0]
        assert failed == []  # <- report-asserted-too-late
        assert list(box) == []
