"""Bad: rank 0 is given three seconds to have set its flag in shared memory before rank 1 reads it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time as t

import torch
import torch.multiprocessing as mp


def peers(rank, flag):
    if rank == 0:
        flag.fill_(1)
        return
    t.sleep(3)  # <- fixed-sleep-as-synchronisation
    assert flag.item() == 1, "rank 0 has not set the flag"


def test_flag():
    flag = torch.zeros(1).share_memory_()
    mp.spawn(peers, args=(flag,), nprocs=2)
