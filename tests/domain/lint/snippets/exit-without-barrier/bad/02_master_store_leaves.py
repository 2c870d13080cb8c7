"""Bad: rank 0 hosts the TCPStore and returns while rank 1 may not have read its key yet.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

from datetime import timedelta

import torch.distributed as dist
import torch.multiprocessing as mp


def exchange(rank, port):
    store = dist.TCPStore("127.0.0.1", port, 2, is_master=rank == 0, timeout=timedelta(seconds=20))
    if rank == 0:
        store.set("plan", "a,b,c")  # <- exit-without-barrier
        return  # <- exit-without-barrier
    assert store.get("plan") == b"a,b,c"


def test_exchange():
    mp.spawn(exchange, args=(29652,), nprocs=2)
