"""Bad: collectives of a group with a local validation between scatter and gather.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def validate(part, lowest):
    smallest = part.min().item()
    if smallest < lowest:
        raise ValueError(f"{smallest} is below {lowest}")  # <- rank-local-raise-before-collective


def scale(idx, n):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29691", rank=idx, world_size=n)
    group = dist.new_group(list(range(n)))
    part = torch.zeros(2)
    parts = [torch.full((2,), float(i)) for i in range(n)] if idx == 0 else None
    dist.scatter(part, parts, src=0, group=group)
    validate(part, lowest=0.0)  # <- rank-local-raise-before-collective
    part *= 2
    out = [torch.zeros(2) for _ in range(n)]
    dist.all_gather(out, part, group=group)
    assert [o[0].item() for o in out] == [2.0 * i for i in range(n)]
    dist.destroy_process_group()


def test_scale():
    mp.spawn(scale, args=(3,), nprocs=3)
