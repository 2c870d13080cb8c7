"""Good: after the asymmetric part every rank meets in an all_reduce, and returns behind it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


def _worker(rank, n, q):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29665", rank=rank, world_size=n)
        x = torch.full((4,), float(rank))
        if rank == 0:
            for work in [dist.isend(x, peer) for peer in range(1, n)]:
                work.wait()
        else:
            dist.recv(x, 0)
        total = x.sum()
        dist.all_reduce(total)
        q.put((rank, total.item()))
    except Exception:
        q.put((rank, traceback.format_exc()))
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def test_fan_out():
    q = mp.Queue()
    ranks = [mp.Process(target=_worker, args=(r, 3, q)) for r in range(3)]
    for r in ranks:
        r.start()
    assert sorted(q.get(timeout=60) for _ in ranks) == [(r, 0.0) for r in range(3)]
    for r in ranks:
        r.join()
