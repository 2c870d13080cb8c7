"""Good: the try after init falls back to another dtype; it is not how the worker reports.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def dtype_for(device):
    try:
        torch.zeros(1, dtype=torch.bfloat16, device=device)
    except (TypeError, RuntimeError):
        return torch.float32
    return torch.bfloat16


def worker(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:28111", rank=rank, world_size=world_size)
    try:
        dtype = getattr(torch, "float8_e4m3fn")
    except AttributeError:
        dtype = dtype_for("cpu")
    print("rank", rank, "uses", dtype)
    x = torch.ones(2)
    dist.all_reduce(x)
    assert x.tolist() == [float(world_size)] * 2
    dist.destroy_process_group()


def test_worker():
    mp.spawn(worker, args=(2,), nprocs=2)
