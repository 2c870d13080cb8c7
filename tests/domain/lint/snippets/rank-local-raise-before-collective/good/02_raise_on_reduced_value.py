"""Good: the condition of the raise is the reduced value, equal on every rank, so all raise together.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


def train_step(model, batch, group=None):
    finite = torch.tensor(int(torch.isfinite(batch).all()))
    dist.all_reduce(finite, op=dist.ReduceOp.MIN, group=group)
    if finite.item() == 0:
        raise ValueError("the batch of some rank is not finite")
    loss = model(batch).sum()
    loss.backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad, group=group)
    return loss.detach()


def test_train_step(tmp_path):
    dist.init_process_group("gloo", f"file://{tmp_path}/s", rank=0, world_size=1)
    model = torch.nn.Linear(2, 1)
    assert torch.isfinite(train_step(model, torch.ones(3, 2)))
    dist.destroy_process_group()
