"""A test whose failure cannot say why, as incident 1's could not, with its source."""

from scene import Case

SOURCE_PATH = "tests/test_combine.py"
SOURCE = """\
import multiprocessing
import queue
import traceback

import torch.distributed as dist


def work(rank, world, results):
    dist.init_process_group("gloo", rank=rank, world_size=world)
    try:
        total = rank
        if rank == 0:
            results.put({"rank": rank, "total": total})
    except BaseException:
        results.put({"rank": rank, "traceback": traceback.format_exc()})
        raise
    finally:
        dist.destroy_process_group()


def test_workers_end():
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    processes = [context.Process(target=work, args=(rank, 2, results)) for rank in range(2)]
    for process in processes:
        process.start()
    try:
        total = results.get(timeout=180)
    except queue.Empty:
        total = None
    for process in processes:
        process.join(timeout=30)
        if process.is_alive():
            process.terminate()
    assert total is not None, "workers timed out"
    assert all(process.exitcode == 0 for process in processes)
"""

_TEXT = """\
    def test_workers_end():
        total = results.get(timeout=180)
        assert total is not None, "workers timed out"
>       assert all(process.exitcode == 0 for process in processes)
E       assert False
E        +  where False = all(<generator object test_workers_end.<locals>.<genexpr> at 0x7f12>)

tests/test_combine.py:36: AssertionError"""

OPAQUE = Case("test_workers_end", _TEXT)
OPAQUE_PASSES = Case("test_workers_end")
