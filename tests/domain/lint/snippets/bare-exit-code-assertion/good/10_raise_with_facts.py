"""Good: the raised AssertionError says which worker and which code.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, port-found-then-released
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp
import torch


def compute(i, out):
    out[i] = float(i)


def wait_for(procs):
    for rank, p in enumerate(procs):
        p.join()
        if p.exitcode != 0:
            raise AssertionError(f"worker {rank} exited with {p.exitcode}")


def test_compute():
    out = torch.zeros(3).share_memory_()
    procs = [mp.Process(target=compute, args=(i, out)) for i in range(3)]
    for p in procs:
        p.start()
    wait_for(procs)
    assert out.tolist() == [0.0, 1.0, 2.0]
