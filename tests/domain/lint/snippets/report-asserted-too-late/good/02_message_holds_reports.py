"""Good: the exit-code assertion's own message shows the tracebacks.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import traceback

import torch.multiprocessing as mp


def run(rank, errors):
    try:
        assert sum(range(rank)) == rank * (rank - 1) // 2
    except Exception:
        errors[rank] = traceback.format_exc()
        raise


def test_sums():
    ctx = mp.get_context("spawn")
    errors = ctx.Manager().dict()
    procs = [ctx.Process(target=run, args=(r, errors)) for r in range(4)]
    for p in procs:
        p.start()
    for rank, p in enumerate(procs):
        p.join()
        assert p.exitcode == 0, f"rank {rank} ended with {p.exitcode}:\n{errors.get(rank)}"
    assert not errors, dict(errors)
