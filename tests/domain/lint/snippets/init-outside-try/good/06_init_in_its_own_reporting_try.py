"""Good: init stands outside the second try, but in a first one that reports just as well.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: no-early-exit-check, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, n, errors):
    try:
        dist.init_process_group("gloo", "tcp://localhost:29411", rank=rank, world_size=n)
    except Exception:
        errors[rank] = "rendezvous failed\n" + traceback.format_exc()
        return
    try:
        outputs = [torch.zeros(1) for _ in range(n)]
        dist.all_gather(outputs, torch.tensor([float(rank)]))
        assert [o.item() for o in outputs] == [float(i) for i in range(n)]
    except Exception:
        errors[rank] = "gather failed\n" + traceback.format_exc()
    finally:
        dist.destroy_process_group()


def test_gather():
    manager = mp.Manager()
    errors = manager.dict()
    mp.spawn(work, args=(2, errors), nprocs=2)
    assert dict(errors) == {}
