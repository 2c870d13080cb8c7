"""Bad: rank 0 leaves behind an isend that nobody has waited for, and the group is destroyed at once.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, one-item-drained
# clean: port-found-then-released, rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29651", rank=rank, world_size=world_size)
    if rank == 0:
        dist.isend(torch.arange(1000.0), dst=1)  # <- exit-without-barrier
    else:
        t = torch.zeros(1000)
        dist.recv(t, src=0)
        assert t.sum() == 499500
    dist.destroy_process_group()  # <- exit-without-barrier


def test_send():
    mp.spawn(run, args=(2,), nprocs=2)
