"""Good: between the collectives there is plain arithmetic and no helper that raises.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


def normalised(values):
    mean = values.mean()
    return (values - mean) / (values.std() + 1e-6)


def standardise(values):
    count = torch.tensor([float(values.numel())])
    dist.all_reduce(count)
    local = normalised(values)
    total = local.sum()
    dist.all_reduce(total)
    return total.item() / count.item()


def refuse_empty(values):
    if not values.numel():
        raise ValueError("empty")


def test_standardise(tmp_path):
    dist.init_process_group("gloo", f"file://{tmp_path}/s", rank=0, world_size=1)
    values = torch.tensor([1.0, 2.0, 3.0])
    refuse_empty(values)
    assert abs(standardise(values)) < 1e-3
    dist.destroy_process_group()
