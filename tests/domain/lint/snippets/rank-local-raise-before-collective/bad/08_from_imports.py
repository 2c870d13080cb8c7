"""Bad: with from-imports: a StopIteration turned into RuntimeError on the rank whose data have run out.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
from torch.distributed import ReduceOp, all_reduce as ar, barrier, destroy_process_group, init_process_group


def next_batch(batches):
    try:
        return next(batches)
    except StopIteration:
        raise RuntimeError("no batches left on this rank") from None  # <- rank-local-raise-before-collective


def epoch(batches, steps):
    barrier()
    seen = torch.zeros(1)
    for _ in range(steps):
        batch = next_batch(batches)  # <- rank-local-raise-before-collective
        total = batch.sum()
        ar(total, op=ReduceOp.SUM)
        seen += total
    return seen.item()


def test_epoch(tmp_path):
    init_process_group("gloo", f"file://{tmp_path}/e", rank=0, world_size=1)
    assert epoch(iter(torch.ones(3, 2)), steps=3) == 6
    destroy_process_group()
