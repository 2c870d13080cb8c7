"""Bad: all ranks but 0 leave while rank 0 still works and then asks the store for their last words.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def save_all(rank, n, folder):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29658", rank=rank, world_size=n)
    state = {"rank": rank, "w": torch.ones(3) * rank}
    if rank != 0:
        dist.isend(state["w"], dst=0)  # <- exit-without-barrier
        dist.destroy_process_group()  # <- exit-without-barrier
        return
    parts = [state["w"]]
    for peer in range(1, n):
        part = torch.zeros(3)
        dist.recv(part, src=peer)
        parts.append(part)
    torch.save(parts, folder / "all.pt")
    dist.destroy_process_group()


def test_save(tmp_path):
    mp.spawn(save_all, args=(3, tmp_path), nprocs=3)
    assert len(torch.load(tmp_path / "all.pt")) == 3
