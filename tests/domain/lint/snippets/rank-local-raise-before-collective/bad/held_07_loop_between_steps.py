"""Bad: in each turn of the loop the local batch is checked after one reduction and before the next.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Overflow(RuntimeError):
    pass


def check(loss, step):
    if loss > 1e4:
        raise Overflow(f"loss {loss} at step {step}")  # <- rank-local-raise-before-collective


def train(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29687", rank=rank, world_size=world_size)
    weight = torch.ones(1) * (rank + 1)
    for step in range(4):
        loss = (weight * step).item()
        check(loss, step)  # <- rank-local-raise-before-collective
        dist.all_reduce(weight)
        weight /= world_size
    dist.destroy_process_group()


def test_train():
    mp.spawn(train, args=(2,), nprocs=2)
