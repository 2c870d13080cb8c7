"""Good: a decorator's try encloses the whole worker, init included.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import functools
import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


def reporting(function):
    @functools.wraps(function)
    def wrapped(rank, queue, *args):
        try:
            function(rank, *args)
        except BaseException:
            queue.put((rank, traceback.format_exc()))
            raise
        queue.put((rank, ""))

    return wrapped


@reporting
def reduce_worker(rank, world_size, url):
    dist.init_process_group("gloo", url, rank=rank, world_size=world_size)
    t = torch.ones(2)
    dist.all_reduce(t)
    assert t.sum() == 2 * world_size
    dist.destroy_process_group()


def test_reduce(tmp_path):
    queue = mp.Queue()
    url = f"file://{tmp_path}/r"
    procs = [mp.Process(target=reduce_worker, args=(i, queue, 2, url)) for i in range(2)]
    for p in procs:
        p.start()
    for _ in procs:
        rank, error = queue.get(timeout=60)
        assert not error, f"rank {rank}: {error}"
