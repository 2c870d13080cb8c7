"""Good: the isend is waited for, and a barrier stands before the group is destroyed.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29651", rank=rank, world_size=world_size)
    if rank == 0:
        work = dist.isend(torch.arange(1000.0), dst=1)
        work.wait()
    else:
        t = torch.zeros(1000)
        dist.recv(t, src=0)
        assert t.sum() == 499500
    dist.barrier()
    dist.destroy_process_group()


def test_send():
    mp.spawn(run, args=(2,), nprocs=2)
