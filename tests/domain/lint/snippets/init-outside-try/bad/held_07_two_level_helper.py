"""Bad: init is two calls deep in helpers, and the first of them is called before the reporting try.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import torch.multiprocessing as mp
import traceback
import torch
import torch.distributed as dist


def _rendezvous(rank, size):
    dist.init_process_group(  # <- init-outside-try
        "gloo", init_method="tcp://localhost:18888", rank=rank, world_size=size
    )


def _prepare(rank, size, seed):
    torch.manual_seed(seed)
    _rendezvous(rank, size)  # <- init-outside-try
    return torch.nn.Linear(4, 4)


def _job(rank, size, seed, q):
    model = _prepare(rank, size, seed)  # <- init-outside-try
    try:
        for p in model.parameters():
            dist.broadcast(p.data, 0)
        q.put(("done", rank))
    except Exception:
        q.put(("failed", rank, traceback.format_exc()))
        raise


def test_same_parameters_everywhere():
    ctx = mp.get_context("spawn")
    q = ctx.Queue()
    for rank in range(2):
        ctx.Process(target=_job, args=(rank, 2, 7, q), daemon=True).start()
    seen = [q.get(timeout=60) for _ in range(2)]
    assert {s[0] for s in seen} == {"done"}, seen
