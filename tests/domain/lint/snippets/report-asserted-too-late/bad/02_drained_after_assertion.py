"""Bad: the queue is drained only after the exit codes were asserted, so a failure never gets that far.

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
        errors.put((rank, traceback.format_exc()))
        raise


def test_sums():
    ctx = mp.get_context("spawn")
    errors = ctx.Manager().Queue()
    procs = [ctx.Process(target=run, args=(r, errors)) for r in range(4)]
    for p in procs:
        p.start()
    for p in procs:
        p.join()
        assert p.exitcode == 0, f"{p.name} ended with {p.exitcode}"  # <- report-asserted-too-late
    messages = []
    while not errors.empty():
        rank, text = errors.get()
        messages.append(f"rank {rank}:\n{text}")
    assert not messages, "\n".join(messages)
