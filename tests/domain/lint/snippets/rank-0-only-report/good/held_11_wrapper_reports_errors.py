"""Good: the body puts on rank 0 only, and a wrapper puts any rank's traceback on a second queue.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


def _body(rank, world_size, queue):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29551", rank=rank, world_size=world_size)
    t = torch.ones(1)
    dist.all_reduce(t)
    if rank == 0:
        queue.put(t.item())
    dist.barrier()
    dist.destroy_process_group()


def _guarded(rank, world_size, queue, ends):
    try:
        _body(rank, world_size, queue)
        ends.put((rank, None))
    except BaseException:
        ends.put((rank, traceback.format_exc()))


def test_two():
    ctx = mp.get_context("spawn")
    queue, ends = ctx.Queue(), ctx.Queue()
    procs = [ctx.Process(target=_guarded, args=(rank, 2, queue, ends)) for rank in range(2)]
    for p in procs:
        p.start()
    for _ in procs:
        rank, error = ends.get(timeout=60)
        assert error is None, f"rank {rank}: {error}"
    assert queue.get(timeout=5) == 2.0
