"""Bad: in the ring each rank waits for its own receive only, its own isend is left to itself.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import unittest

import torch
import torch.distributed as c10d
import torch.multiprocessing as mp


def _ring(rank, n):
    c10d.init_process_group("gloo", "tcp://127.0.0.1:29659", rank=rank, world_size=n)
    mine = torch.tensor([float(rank)])
    theirs = torch.zeros(1)
    c10d.isend(mine, (rank + 1) % n)  # <- exit-without-barrier
    work = c10d.irecv(theirs, (rank - 1) % n)
    work.wait()
    assert theirs.item() == (rank - 1) % n
    c10d.destroy_process_group()  # <- exit-without-barrier


class RingTest(unittest.TestCase):
    def test_ring_of_two(self):
        mp.spawn(_ring, args=(2,), nprocs=2)

    def test_ring_of_four(self):
        mp.spawn(_ring, args=(4,), nprocs=4)
