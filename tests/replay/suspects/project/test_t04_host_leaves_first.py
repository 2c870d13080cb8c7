"""Suspect T04, the rank that hosts the store leaves while the other still writes to it.

Family: timing; a grace period instead of a last barrier.
Expected verdict: passes at 2 and 1 CPU; fails at 0.25 CPU and under delays of the store.
Expected cause: early-exit: rank 0, the store's host, left while rank 1 still used the store in _report.
Must not say: rank 0 crashed, rank 1 is the origin, a network fault.
"""

import datetime as dt
import time

import torch.distributed as dist
from ranks import burn, exit_codes


def _report(store: dist.TCPStore) -> None:
    for number in range(6):
        burn(0.03)
        store.set(f"metric-{number}", str(number))


def _worker(rank: int, port: int) -> None:
    store = dist.TCPStore("127.0.0.1", port, 2, is_master=rank == 0, timeout=dt.timedelta(seconds=20))
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    dist.barrier()
    if rank == 0:
        time.sleep(0.4)
    else:
        _report(store)
    dist.destroy_process_group()


def test_metrics_are_kept() -> None:
    assert exit_codes(_worker) == [0, 0]
