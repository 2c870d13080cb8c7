"""Bad: a JoinableQueue is read once while range(len(devices)) workers put on it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

devices = ["cpu", "cpu", "meta"]


def probe(device, found):
    import torch

    try:
        found.put((device, torch.zeros(1, device=device).shape))
    except Exception as e:
        found.put((device, repr(e)))


def test_probe():
    ctx = mp.get_context("spawn")
    found = ctx.JoinableQueue()
    ps = []
    for k in range(len(devices)):
        ps.append(ctx.Process(target=probe, args=(devices[k], found)))
        ps[-1].start()
    device, shape = found.get(True, 20)  # <- one-item-drained
    found.task_done()
    for p in ps:
        p.join()
    assert tuple(shape) == (1,)
