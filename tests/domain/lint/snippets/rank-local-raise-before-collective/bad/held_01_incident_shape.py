"""Bad: the planner may raise on one rank after the barrier; the other enters the MIN reduction alone.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def _all_ranks_true(value):
    flag = torch.tensor(int(value))
    dist.all_reduce(flag, op=dist.ReduceOp.MIN)
    return bool(flag.item())


def estimate_packing(lengths, capacity):
    if any(length > capacity for length in lengths):
        raise ValueError(f"a sequence is longer than {capacity}")  # <- rank-local-raise-before-collective
    return sum(lengths) / capacity


def plan(lengths, capacity):
    dist.barrier()
    estimate = estimate_packing(lengths, capacity)  # <- rank-local-raise-before-collective
    return _all_ranks_true(estimate < 4)


def _rank(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29681", rank=rank, world_size=world_size)
    assert plan([10 * (rank + 1), 20], capacity=64)
    dist.destroy_process_group()


def test_plan():
    mp.spawn(_rank, args=(2,), nprocs=2)
