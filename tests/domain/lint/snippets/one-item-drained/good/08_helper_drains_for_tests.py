"""Good: the helper reads one report per process that it has started.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

from multiprocessing import get_context

import torch
import torch.distributed as dist


def _entry(rank, world_size, fn, path, q):
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=world_size)
    q.put((rank, fn(rank)))
    dist.barrier()
    dist.destroy_process_group()


def collect(q, expected):
    return dict(q.get(timeout=60) for _ in range(expected))


def run_distributed(fn, path, world_size=2):
    ctx = get_context("spawn")
    q = ctx.Queue()
    ps = [ctx.Process(target=_entry, args=(r, world_size, fn, path, q)) for r in range(world_size)]
    for p in ps:
        p.start()
    out = collect(q, len(ps))
    for p in ps:
        p.join()
    return out


def _max(rank):
    t = torch.tensor(rank)
    dist.all_reduce(t, op=dist.ReduceOp.MAX)
    return int(t)


def test_max(tmp_path):
    assert run_distributed(_max, tmp_path / "m") == {0: 1, 1: 1}
