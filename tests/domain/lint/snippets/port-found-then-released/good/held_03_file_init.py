"""Good: a file:// rendezvous needs no port at all.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, world_size, url):
    dist.init_process_group("gloo", init_method=url, rank=rank, world_size=world_size)
    t = torch.ones(1)
    dist.all_reduce(t)
    assert t.item() == world_size
    dist.barrier()
    dist.destroy_process_group()


def test_run(tmp_path):
    mp.spawn(run, args=(2, (tmp_path / "rendezvous").as_uri()), nprocs=2)
