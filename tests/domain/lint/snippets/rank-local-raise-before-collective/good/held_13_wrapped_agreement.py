"""Good: the helper all_ok() reduces a flag, and the raise below it is the same on each rank.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


def all_ok(flag):
    t = torch.tensor(int(flag))
    dist.all_reduce(t, op=dist.ReduceOp.MIN)
    return bool(t.item())


def mean(value):
    t = torch.tensor(float(value))
    dist.all_reduce(t)
    return t.item() / dist.get_world_size()


def evaluate(rows):
    dist.barrier()
    known = all(row["label"] in (0, 1) for row in rows)
    if not all_ok(known):
        raise ValueError("a label is not known on some rank")
    scores = [row["score"] == row["label"] for row in rows]
    return mean(sum(scores) / max(1, len(scores)))


def test_evaluate(tmp_path):
    dist.init_process_group("gloo", f"file://{tmp_path}/e", rank=0, world_size=1)
    assert evaluate([{"label": 1, "score": 1}, {"label": 0, "score": 1}]) == 0.5
    dist.destroy_process_group()
