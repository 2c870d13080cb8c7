"""Good: the helper `report` adds a note for rank 0 and puts for every rank.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import traceback

import torch
import torch.distributed as dist
from torch import multiprocessing


def report(rank, queue, kind, value):
    if rank == 0:
        print("main rank says", kind)
    queue.put((rank, kind, value))


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
    for _ in children:
        rank, kind, value = queue.get(timeout=30)
        assert (kind, value) == ("sum", 3), f"rank {rank}: {value}"
    for child in children:
        child.join()
