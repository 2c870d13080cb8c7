"""Bad: WORLD workers put, and the reader below the joins takes one result.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

import torch
import torch.distributed as dist

WORLD = 3


def _rank_main(rank, out):
    dist.init_process_group("gloo", "tcp://127.0.0.1:26000", rank=rank, world_size=WORLD)
    t = torch.tensor([1.0])
    dist.all_reduce(t)
    out.put(t.item())
    dist.destroy_process_group()


def _launch():
    out = mp.Queue()
    ps = [mp.Process(target=_rank_main, args=(rank, out)) for rank in range(WORLD)]
    for p in ps:
        p.start()
    try:
        return out.get(timeout=30)  # <- one-item-drained
    finally:
        for p in ps:
            p.join()


def test_launch():
    assert _launch() == WORLD
