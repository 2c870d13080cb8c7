"""Good: one pytest.fail gathers tracebacks and exit codes together.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import traceback

import pytest
import torch
from torch.multiprocessing import get_context


def worker(idx, results):
    try:
        torch.manual_seed(idx)
        results.put({"idx": idx, "mean": torch.rand(100).mean().item()})
    except Exception:
        results.put({"idx": idx, "exc": traceback.format_exc()})
        raise SystemExit(1)


def test_means():
    ctx = get_context("spawn")
    results = ctx.Queue()
    ps = [ctx.Process(target=worker, args=(i, results)) for i in range(2)]
    [p.start() for p in ps]
    got = [results.get(timeout=60) for _ in ps]
    [p.join() for p in ps]
    texts = [item["exc"] for item in got if "exc" in item]
    bad = [(p.name, p.exitcode) for p in ps if p.exitcode]
    if bad or texts:
        pytest.fail(f"workers ended badly: {bad}\n" + "\n".join(texts))
    for item in got:
        assert 0.2 < item["mean"] < 0.8
