"""Bad: the outcome variable is put in a finally, for the first rank only.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
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
        if idx == 0:  # <- rank-0-only-report
            q.put(outcome)  # <- rank-0-only-report


@pytest.mark.parametrize(("op", "expected"), [("SUM", 3.0), ("MAX", 2.0), ("PRODUCT", 2.0)])
def test_ops(op, expected):
    q = mp.get_context("fork").Queue()
    procs = [mp.get_context("fork").Process(target=run, args=(i, 2, op, q)) for i in range(2)]
    for p in procs:
        p.start()
    assert q.get(timeout=30) == expected
    for p in procs:
        p.join()
