"""Good: the spawn context's join(timeout=...) raises for a dead rank while the loop goes on.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import queue

import torch
import torch.multiprocessing as mp


def entry(i, inbox):
    torch.manual_seed(i)
    inbox.put((i, torch.rand(2).tolist()))


def test_two_seeds_differ():
    inbox = mp.get_context("spawn").Queue()
    context = mp.spawn(entry, args=(inbox,), nprocs=2, join=False)
    drawn = {}
    while len(drawn) < 2:
        try:
            rank, values = inbox.get(timeout=0.2)
            drawn[rank] = values
        except queue.Empty:
            context.join(timeout=0)
    context.join()
    assert drawn[0] != drawn[1]
