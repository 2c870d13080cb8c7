"""Good: init is inside the outer, reporting try though before an inner try that only cleans up.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


def loop(i, world, out):
    try:
        dist.init_process_group("gloo", rank=i, world_size=world, init_method="tcp://127.0.0.1:30301")
        try:
            for step in range(3):
                t = torch.tensor([float(step)])
                dist.all_reduce(t)
                assert t.item() == step * world
        finally:
            dist.destroy_process_group()
        out.put((i, True, ""))
    except Exception:
        out.put((i, False, traceback.format_exc()))


def test_three_steps():
    ctx = mp.get_context("spawn")
    out = ctx.Queue()
    for i in range(2):
        ctx.Process(target=loop, args=(i, 2, out), daemon=True).start()
    for _ in range(2):
        rank, fine, text = out.get(timeout=45)
        assert fine, f"rank {rank}: {text}"
