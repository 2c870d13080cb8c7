"""Good: the helper's error is caught on the spot and becomes a legal "not available" value.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
from torch.distributed import ReduceOp, all_reduce as ar, barrier, destroy_process_group, init_process_group

NOT_AVAILABLE = -1.0


def estimate(rows):
    if not rows:
        raise LookupError("nothing to estimate from")
    return sum(rows) / len(rows)


def best_estimate(rows):
    barrier()
    try:
        mine = estimate(rows)
    except LookupError:
        mine = NOT_AVAILABLE
    value = torch.tensor(mine)
    ar(value, op=ReduceOp.MAX)
    return value.item()


def test_estimate(tmp_path):
    init_process_group("gloo", f"file://{tmp_path}/e", rank=0, world_size=1)
    assert best_estimate([]) == NOT_AVAILABLE
    assert best_estimate([1.0, 3.0]) == 2.0
    destroy_process_group()
