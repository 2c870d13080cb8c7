"""Good: the helper that leads to init is called inside the try.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing
import traceback
from datetime import timedelta

import torch
import torch.distributed as dist


def _setup(rank, world_size, store_file):
    store = dist.FileStore(store_file, world_size)
    dist.init_process_group(
        "gloo", store=store, rank=rank, world_size=world_size, timeout=timedelta(seconds=30)
    )


def _child(conn, rank, world_size, store_file):
    torch.manual_seed(rank)
    try:
        _setup(rank, world_size, store_file)
        t = torch.rand(4)
        dist.broadcast(t, src=0)
        conn.send(t.tolist())
    except Exception:
        conn.send(traceback.format_exc())
    finally:
        conn.close()


def test_same_tensor(tmp_path):
    ctx = multiprocessing.get_context("spawn")
    ends = []
    for rank in range(2):
        mine, theirs = ctx.Pipe()
        ctx.Process(target=_child, args=(theirs, rank, 2, str(tmp_path / "s"))).start()
        theirs.close()
        ends.append(mine)
    first, second = (end.recv() for end in ends)
    assert first == second
