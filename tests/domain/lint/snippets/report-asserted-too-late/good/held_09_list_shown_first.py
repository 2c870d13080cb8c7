"""Good: the shared list of exceptions is asserted to be empty, then the codes.

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
        assert list(box) == []
        codes = {rank: p.exitcode for rank, p in procs.items()}
        assert codes == {0: 0, 1: 0}
