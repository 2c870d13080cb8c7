"""Bad: the helper `report` returns at once on every rank other than 0.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import traceback

import torch
import torch.distributed as dist
from torch import multiprocessing


def report(rank, queue, kind, value):
    if rank != 0:  # <- rank-0-only-report
        return
    queue.put((kind, value))  # <- rank-0-only-report


def target(rank, size, queue):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29550", rank=rank, world_size=size)
        x = torch.tensor(rank)
        dist.all_reduce(x)
        report(rank, queue, "sum", int(x))
    except Exception:
        report(rank, queue, "error", traceback.format_exc())


def test_sum():
    queue = multiprocessing.Queue()
    children = [multiprocessing.Process(target=target, args=(rank, 3, queue)) for rank in range(3)]
    for child in children:
        child.start()
    kind, value = queue.get(timeout=30)
    assert (kind, value) == ("sum", 3), value
    for child in children:
        child.join()
