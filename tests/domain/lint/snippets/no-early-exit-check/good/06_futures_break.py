"""Good: a ProcessPoolExecutor raises BrokenProcessPool when a worker dies, so result(timeout) is not blind.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, as_completed

import torch
import torch.distributed as dist


def body(rank, url):
    dist.init_process_group("gloo", url, rank=rank, world_size=2)
    xs = [torch.zeros(1), torch.zeros(1)]
    dist.all_gather(xs, torch.tensor([float(rank)]))
    dist.barrier()
    dist.destroy_process_group()
    return [x.item() for x in xs]


def test_gather(tmp_path):
    url = f"file://{tmp_path}/g"
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(body, rank, url): rank for rank in range(2)}
        for future in as_completed(futures, timeout=120):
            assert future.result() == [0.0, 1.0], futures[future]
