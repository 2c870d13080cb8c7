"""Good: the early return of the other ranks stands behind the last collective.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def metrics(rank, world_size, path):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29709", rank=rank, world_size=world_size)
    correct = torch.tensor([3.0 + rank])
    dist.all_reduce(correct)
    dist.barrier()
    dist.destroy_process_group()
    if rank != 0:
        return
    path.write_text(str(correct.item()))


def test_metrics(tmp_path):
    mp.spawn(metrics, args=(2, tmp_path / "m.txt"), nprocs=2)
    assert (tmp_path / "m.txt").read_text() == "7.0"
