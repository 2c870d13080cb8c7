"""Good: the injected fault of rank 1 comes after its last collective, and no one enters another.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Estimator:
    def __init__(self, fail):
        self.fail = fail

    def tokens(self, rows):
        if self.fail:
            raise ValueError("INJECTED")
        return sum(rows)


def run(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29694", rank=rank, world_size=world_size)
    estimator = Estimator(fail=rank == 1)
    ready = torch.ones(1)
    dist.all_reduce(ready, op=dist.ReduceOp.MIN)
    dist.barrier()
    dist.destroy_process_group()
    assert estimator.tokens([1, 2, 3]) == 6


def test_failure_is_seen():
    with pytest.raises(mp.ProcessRaisedException, match="INJECTED"):
        mp.spawn(run, args=(2,), nprocs=2)
