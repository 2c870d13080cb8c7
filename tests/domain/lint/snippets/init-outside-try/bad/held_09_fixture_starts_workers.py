"""Bad: the shared worker of a fixture brings the group up before the try whose except reports.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing as mp
import sys
import traceback

import pytest
import torch.distributed as dist


def _serve(rank, world_size, path, fn, queue):
    dist.init_process_group(  # <- init-outside-try
        "gloo", init_method="file://" + path, rank=rank, world_size=world_size
    )
    try:
        queue.put((rank, fn(rank, world_size), None))
    except:  # noqa: E722
        queue.put((rank, None, traceback.format_exc()))
        sys.exit(1)
    finally:
        dist.destroy_process_group()


@pytest.fixture
def on_ranks(tmp_path):
    ctx = mp.get_context("forkserver")

    def call(fn, world_size=2):
        queue = ctx.Queue()
        args = (world_size, str(tmp_path / "f"), fn, queue)
        procs = [ctx.Process(target=_serve, args=(r, *args), daemon=True) for r in range(world_size)]
        for p in procs:
            p.start()
        return sorted(queue.get(timeout=60) for _ in procs)

    return call


def _rank_of(rank, world_size):
    return dist.get_rank()


def test_ranks(on_ranks):
    assert on_ranks(_rank_of) == [(0, 0, None), (1, 1, None)]
