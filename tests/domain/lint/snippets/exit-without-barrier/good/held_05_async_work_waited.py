"""Good: the async all_reduce is kept and waited for before the group goes.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

from multiprocessing import Process

import torch
import torch.distributed as dist


def train(rank, world):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29655", rank=rank, world_size=world)
    weight = torch.ones(1_000_000)
    handle = dist.all_reduce(weight, async_op=True)
    other = torch.ones(3).sum()
    handle.wait()
    assert weight[0] == world and other == 3
    dist.destroy_process_group()


def test_train():
    processes = [Process(target=train, args=(rank, 2), name=f"rank{rank}") for rank in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0, f"{process.name} ended with {process.exitcode}"
