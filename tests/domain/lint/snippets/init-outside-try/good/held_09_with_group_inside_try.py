"""Good: the context manager that opens the group is entered inside the try.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import contextlib
import traceback

import torch
import torch.distributed as dist
from torch import multiprocessing as mp


@contextlib.contextmanager
def group(rank, size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29155", rank=rank, world_size=size)
    try:
        yield dist.group.WORLD
    finally:
        dist.destroy_process_group()


def entry(rank, size, q):
    try:
        with group(rank, size) as world:
            t = torch.tensor([rank])
            dist.all_reduce(t, group=world)
            q.put(("value", int(t)))
    except Exception:
        q.put(("error", traceback.format_exc()))


def test_world():
    q = mp.get_context("spawn").Queue()
    mp.start_processes(entry, args=(2, q), nprocs=2, start_method="spawn")
    answers = [q.get(timeout=5) for _ in range(2)]
    assert answers == [("value", 1)] * 2
