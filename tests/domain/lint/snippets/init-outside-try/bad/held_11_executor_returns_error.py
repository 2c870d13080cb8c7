"""Bad: the function in the pool returns its exception as a value, though not that of the rendezvous.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from traceback import format_exc

import torch
import torch.distributed as dist


def task(rank, world_size, url):
    dist.init_process_group("gloo", init_method=url, rank=rank, world_size=world_size)  # <- init-outside-try
    try:
        t = torch.tensor([1.0])
        dist.all_reduce(t)
        result = {"rank": rank, "value": t.item()}
    except Exception:
        result = {"rank": rank, "error": format_exc()}
    dist.destroy_process_group()
    return result


def test_world_of_two(tmp_path):
    url = (tmp_path / "store").as_uri()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(task, r, 2, url) for r in range(2)]
        results = [f.result(timeout=60) for f in futures]
    assert [r.get("error") for r in results] == [None, None]
