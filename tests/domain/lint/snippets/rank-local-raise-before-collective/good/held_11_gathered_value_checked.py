"""Good: what is checked was gathered from all, so each rank sees the same and each raises or none.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def validate(parts, lowest):
    smallest = min(part.min().item() for part in parts)
    if smallest < lowest:
        raise ValueError(f"{smallest} is below {lowest}")


def scale(idx, n):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29691", rank=idx, world_size=n)
    group = dist.new_group(list(range(n)))
    out = [torch.zeros(2) for _ in range(n)]
    dist.all_gather(out, torch.full((2,), float(idx)), group=group)
    validate(out, lowest=0.0)
    total = sum(out)
    dist.all_reduce(total, op=dist.ReduceOp.MAX, group=group)
    assert total[0].item() == sum(range(n))
    dist.destroy_process_group()


def test_scale():
    mp.spawn(scale, args=(3,), nprocs=3)
