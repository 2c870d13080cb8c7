"""Suspect T03, a key of the store awaited for one second.

Family: timing; a deadline of the store against the other rank's computing.
Expected verdict: passes at 2, 1 and mostly at 0.5 CPU; fails at 0.25 CPU.
Expected cause: late-rank: rank 0 set the key "plan" after rank 1's deadline of 1 s, raising nothing.
Must not say: rank 1 is the origin, rank 0 never set it, a crash.
"""

import datetime as dt

import torch.distributed as dist
from ranks import burn, exit_codes


def _plan() -> bytes:
    burn(0.4)
    return b"ready"


def _worker(rank: int, port: int) -> None:
    store = dist.TCPStore("127.0.0.1", port, 2, is_master=rank == 0, timeout=dt.timedelta(seconds=20))
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    dist.barrier()
    if rank == 0:
        store.set("plan", _plan())
    else:
        store.wait(["plan"], dt.timedelta(seconds=1))
        assert store.get("plan") == b"ready"
    dist.barrier()
    dist.destroy_process_group()


def test_plan_is_shared() -> None:
    assert exit_codes(_worker) == [0, 0]
