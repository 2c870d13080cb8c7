"""Good: the try after init has a finally alone: it reports nothing, mp.spawn does, and init need not be in it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, world_size, path):
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=world_size)
    try:
        x = torch.full((3,), rank)
        dist.broadcast(x, src=1)
        assert x.eq(1).all()
    finally:
        dist.destroy_process_group()


def test_broadcast(tmp_path):
    mp.spawn(run, args=(2, tmp_path / "file_store"), nprocs=2)
