"""Good: the helper `agreed` runs the local work, reduces its outcome and only then raises, on all ranks.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


def agreed(group, work, *args):
    value, error = None, None
    try:
        value = work(*args)
    except Exception as exc:
        error = exc
    ok = torch.tensor(int(error is None))
    dist.all_reduce(ok, op=dist.ReduceOp.MIN, group=group)
    if not ok:
        raise RuntimeError("local work failed on a rank") from error
    return value


def cost_of(microbatch):
    if microbatch <= 0:
        raise ValueError("a microbatch needs at least one row")
    return 100 / microbatch


def plan(group, microbatch):
    dist.barrier(group=group)
    cost = torch.tensor(agreed(group, cost_of, microbatch))
    dist.all_reduce(cost, op=dist.ReduceOp.MAX, group=group)
    return cost.item()


def test_plan(tmp_path):
    dist.init_process_group("gloo", f"file://{tmp_path}/p", rank=0, world_size=1)
    assert plan(None, 4) == 25
    dist.destroy_process_group()
