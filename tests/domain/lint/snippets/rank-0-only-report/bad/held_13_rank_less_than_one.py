"""Bad: losses leave the trainer from its main process, and failures of the replicas leave by no way.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Trainer:
    def __init__(self, rank, world_size):
        self.rank = rank
        dist.init_process_group("gloo", "tcp://127.0.0.1:29553", rank=rank, world_size=world_size)
        self.model = DistributedDataParallel(torch.nn.Linear(2, 1))

    def fit(self, losses):
        for _ in range(2):
            loss = self.model(torch.ones(1, 2)).sum()
            loss.backward()
            if self.rank == 0:  # <- rank-0-only-report
                losses.put(loss.item())  # <- rank-0-only-report


def _train(rank, world_size, losses):
    Trainer(rank, world_size).fit(losses)


def test_two_losses():
    losses = mp.Queue()
    procs = [mp.Process(target=_train, args=(rank, 2, losses)) for rank in range(2)]
    for p in procs:
        p.start()
    assert len([losses.get(timeout=60) for _ in range(2)]) == 2
    for p in procs:
        p.join()
