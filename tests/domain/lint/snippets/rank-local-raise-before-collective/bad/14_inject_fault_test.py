"""Bad: the test makes rank 1 raise in its estimator, and rank 0 enters the next reduction alone.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Estimator:
    def __init__(self, fail):
        self.fail = fail

    def tokens(self, rows):
        if self.fail:
            raise ValueError("INJECTED")  # <- rank-local-raise-before-collective
        return sum(rows)


def run(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29694", rank=rank, world_size=world_size)
    estimator = Estimator(fail=rank == 1)
    ready = torch.ones(1)
    dist.all_reduce(ready, op=dist.ReduceOp.MIN)
    tokens = torch.tensor(estimator.tokens([1, 2, 3]))  # <- rank-local-raise-before-collective
    dist.all_reduce(tokens)
    dist.destroy_process_group()


def test_failure_is_seen():
    try:
        mp.spawn(run, args=(2,), nprocs=2)
    except mp.ProcessRaisedException as error:
        assert "INJECTED" in str(error)
