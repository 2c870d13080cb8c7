"""Good: the trainer's constructor initialises the group, and it is constructed inside the reporting try.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: no-early-exit-check, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Trainer:
    def __init__(self, rank, world_size):
        dist.init_process_group("gloo", "tcp://127.0.0.1:29301", rank=rank, world_size=world_size)
        self.weight = torch.full((2,), float(rank))

    def step(self):
        dist.all_reduce(self.weight, op=dist.ReduceOp.MAX)
        return self.weight.tolist()


def _rank(rank, world_size, results):
    try:
        trainer = Trainer(rank, world_size)
        results[rank] = trainer.step()
    except BaseException:
        results[rank] = traceback.format_exc()


def test_step():
    with mp.Manager() as manager:
        results = manager.dict()
        mp.spawn(_rank, (2, results), nprocs=2)
        assert dict(results) == {0: [1.0, 1.0], 1: [1.0, 1.0]}
