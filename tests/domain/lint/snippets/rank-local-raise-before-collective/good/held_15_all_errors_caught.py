"""Good: every Exception of the helper becomes the flag that is agreed on before the totals.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


def weight_of(row):
    weight = row["weight"]
    if weight < 0:
        raise ValueError(f"negative weight {weight}")
    return weight


def total_weight(rows):
    dist.barrier()
    ok = torch.ones(1)
    total = torch.zeros(1)
    try:
        total += sum(weight_of(row) for row in rows)
    except Exception:
        ok.zero_()
    dist.all_reduce(ok, op=dist.ReduceOp.MIN)
    if not ok:
        raise RuntimeError("a row is unusable on some rank")
    dist.all_reduce(total)
    return total.item()


def test_total(tmp_path):
    dist.init_process_group("gloo", f"file://{tmp_path}/t", rank=0, world_size=1)
    assert total_weight([{"weight": 2.0}, {"weight": 0.5}]) == 2.5
    dist.destroy_process_group()
