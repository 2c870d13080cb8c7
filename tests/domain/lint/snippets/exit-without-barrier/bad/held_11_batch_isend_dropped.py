"""Bad: the works of batch_isend_irecv are thrown away before the end of the worker.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
from torch.distributed import P2POp, batch_isend_irecv
from torch.multiprocessing import spawn


def swap(rank, init):
    dist.init_process_group("gloo", init, rank=rank, world_size=2)
    out, mine = torch.zeros(8), torch.full((8,), float(rank))
    peer = 1 - rank
    operations = [P2POp(dist.isend, mine, peer), P2POp(dist.irecv, out, peer)]
    batch_isend_irecv(operations)  # <- exit-without-barrier
    print("rank", rank, "swapped", out.shape)
    dist.destroy_process_group()  # <- exit-without-barrier


def test_swap(tmp_path):
    spawn(swap, args=((tmp_path / "s").as_uri(),), nprocs=2)
