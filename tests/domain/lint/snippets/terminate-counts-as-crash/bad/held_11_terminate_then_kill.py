"""Bad: two-stage stop, terminate and kill, and no record of it before the codes are asserted.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, port-found-then-released
# clean: rank-local-raise-before-collective
"""

import multiprocessing as mp
import torch


def compute(i, out):
    out[i] = torch.arange(i + 1).sum()


def shut_down(procs):
    for p in procs:
        p.join(timeout=20)
    for p in procs:
        if not p.is_alive():
            continue
        p.terminate()  # <- terminate-counts-as-crash
        p.join(5)
        if p.is_alive():
            p.kill()  # <- terminate-counts-as-crash
            p.join()


def test_compute():
    out = torch.zeros(3, dtype=torch.long).share_memory_()
    procs = [mp.Process(target=compute, args=(i, out)) for i in range(3)]
    for p in procs:
        p.start()
    shut_down(procs)
    assert [p.exitcode for p in procs] == [0, 0, 0]  # <- terminate-counts-as-crash
    assert out.tolist() == [0, 1, 3]
