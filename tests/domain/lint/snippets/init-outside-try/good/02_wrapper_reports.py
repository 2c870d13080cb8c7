"""Good: the body initialises without a try of its own, but the wrapper that calls it reports everything.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import functools
import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def _guarded(rank, body, world_size, queue):
    try:
        body(rank, world_size)
        queue.put((rank, None))
    except BaseException:
        queue.put((rank, traceback.format_exc()))


def _body(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29800", rank=rank, world_size=world_size)
    x = torch.ones(1)
    dist.all_reduce(x)
    assert x.item() == world_size
    dist.destroy_process_group()


def test_body():
    queue = mp.get_context("spawn").SimpleQueue()
    mp.spawn(functools.partial(_guarded), args=(_body, 2, queue), nprocs=2)
    for _ in range(2):
        rank, error = queue.get()
        assert error is None, f"rank {rank}\n{error}"
