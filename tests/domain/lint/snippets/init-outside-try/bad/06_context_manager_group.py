"""Bad: the with block that opens the group encloses the try, so its own failure is reported by nobody.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import contextlib
import multiprocessing as mp
import traceback

import torch
import torch.distributed as dist


@contextlib.contextmanager
def process_group(rank, world_size, store_path):
    store = dist.FileStore(store_path, world_size)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=world_size)  # <- init-outside-try
    try:
        yield
    finally:
        dist.destroy_process_group()


def _entry(rank, world_size, store_path, out):
    with process_group(rank, world_size, store_path):  # <- init-outside-try
        try:
            t = torch.ones(1)
            dist.all_reduce(t)
            out.put((rank, t.item(), ""))
        except Exception:
            out.put((rank, None, traceback.format_exc()))


def test_reduce(tmp_path):
    ctx = mp.get_context("spawn")
    out = ctx.Queue()
    ps = [ctx.Process(target=_entry, args=(i, 2, str(tmp_path / "s"), out)) for i in range(2)]
    [p.start() for p in ps]
    for _ in ps:
        rank, value, error = out.get(timeout=30)
        assert not error, error
        assert value == 2.0
