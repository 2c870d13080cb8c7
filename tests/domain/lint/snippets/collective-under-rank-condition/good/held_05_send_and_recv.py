"""Good: send and recv under a rank condition are point-to-point, not collectives.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, one-item-drained
# clean: port-found-then-released, rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def ping(rank, url):
    dist.init_process_group("gloo", url, rank=rank, world_size=2)
    x = torch.zeros(1)
    if rank == 0:
        dist.send(torch.ones(1), dst=1)
        dist.recv(x, src=1)
    else:
        dist.recv(x, src=0)
        dist.send(x + 1, dst=0)
    dist.barrier()
    dist.destroy_process_group()


def test_ping(tmp_path):
    mp.spawn(ping, args=((tmp_path / "p").as_uri(),), nprocs=2)
