"""Good: the outcome of the local planning is reduced right after it, before the planner's next collective.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def estimate_packing(lengths, capacity):
    if any(length > capacity for length in lengths):
        raise ValueError(f"a sequence is longer than {capacity}")
    return sum(lengths) / capacity


def plan(lengths, capacity):
    dist.barrier()
    error, estimate = None, 0.0
    try:
        estimate = estimate_packing(lengths, capacity)
    except Exception as exc:
        error = exc
    ok = torch.tensor(int(error is None))
    dist.all_reduce(ok, op=dist.ReduceOp.MIN)
    if error is not None:
        raise error
    if not ok:
        raise RuntimeError("planning failed on another rank")
    largest = torch.tensor(estimate)
    dist.all_reduce(largest, op=dist.ReduceOp.MAX)
    return largest.item()


def _rank(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29681", rank=rank, world_size=world_size)
    assert plan([10 * (rank + 1), 20], capacity=64) < 4
    dist.destroy_process_group()


def test_plan():
    mp.spawn(_rank, args=(2,), nprocs=2)
