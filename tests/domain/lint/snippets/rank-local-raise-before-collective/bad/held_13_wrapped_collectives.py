"""Bad: the collectives are hidden in the helpers sync() and mean(); between them the local rows are checked.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


def sync():
    if dist.is_initialized():
        dist.barrier()


def mean(value):
    t = torch.tensor(float(value))
    dist.all_reduce(t)
    return t.item() / dist.get_world_size()


def evaluate(rows):
    sync()
    scores = []
    for row in rows:
        if row["label"] not in (0, 1):
            raise ValueError(f"label {row['label']} is not known")  # <- rank-local-raise-before-collective
        scores.append(row["score"] == row["label"])
    return mean(sum(scores) / max(1, len(scores)))


def test_evaluate(tmp_path):
    dist.init_process_group("gloo", f"file://{tmp_path}/e", rank=0, world_size=1)
    assert evaluate([{"label": 1, "score": 1}, {"label": 0, "score": 1}]) == 0.5
    dist.destroy_process_group()
