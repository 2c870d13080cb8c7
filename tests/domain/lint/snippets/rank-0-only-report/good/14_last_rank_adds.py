"""Good: all ranks put in the finally; the last one merely puts one more fact.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import traceback

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(idx, n, op, q):
    outcome = None
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29554", rank=idx, world_size=n)
        x = torch.tensor([float(idx + 1)])
        dist.all_reduce(x, op=getattr(dist.ReduceOp, op))
        outcome = x.item()
    except BaseException:
        outcome = traceback.format_exc()
    finally:
        q.put((idx, outcome))
        if idx == n - 1:
            q.put(("world", n))


@pytest.mark.parametrize(("op", "expected"), [("SUM", 3.0), ("MAX", 2.0), ("PRODUCT", 2.0)])
def test_ops(op, expected):
    q = mp.get_context("fork").Queue()
    procs = [mp.get_context("fork").Process(target=run, args=(i, 2, op, q)) for i in range(2)]
    for p in procs:
        p.start()
    seen = dict(q.get(timeout=30) for _ in range(len(procs) + 1))
    assert seen == {0: expected, 1: expected, "world": 2}
    for p in procs:
        p.join()
