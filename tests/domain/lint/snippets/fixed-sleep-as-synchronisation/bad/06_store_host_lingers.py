"""Bad: rank 0, which hosts the store, sleeps ten seconds so that the others may have finished.

# clean: bare-exit-code-assertion, collective-under-rank-condition, init-outside-try, one-item-drained
# clean: port-found-then-released, rank-0-only-report, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import time

import torch.distributed as dist
import torch.multiprocessing as mp


def exchange(rank, port):
    store = dist.TCPStore("127.0.0.1", port, 2, is_master=rank == 0)
    if rank == 0:
        store.set("plan", "a,b,c")
        time.sleep(10)  # <- fixed-sleep-as-synchronisation
        return
    assert store.get("plan") == b"a,b,c"


def test_exchange():
    mp.spawn(exchange, args=(29726,), nprocs=2)
