"""Good: the ranks other than 0 return early, but only behind the barrier.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def save_all(rank, n, folder):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29658", rank=rank, world_size=n)
    mine = torch.ones(3) * rank
    parts = [torch.zeros(3) for _ in range(n)]
    dist.all_gather(parts, mine)
    dist.barrier()
    dist.destroy_process_group()
    if rank != 0:
        return
    torch.save(parts, folder / "all.pt")


def test_save(tmp_path):
    mp.spawn(save_all, args=(3, tmp_path), nprocs=3)
    assert len(torch.load(tmp_path / "all.pt")) == 3
