"""Bad: an async all_reduce is started, never waited for, and the process leaves.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

from multiprocessing import Process

import torch
import torch.distributed as dist


def train(rank, world):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29655", rank=rank, world_size=world)
    weight = torch.ones(1_000_000)
    for _ in range(3):
        weight = weight * 1.01
    dist.all_reduce(weight, async_op=True)  # <- exit-without-barrier
    dist.destroy_process_group()  # <- exit-without-barrier


def test_train():
    processes = [Process(target=train, args=(rank, 2), name=f"rank{rank}") for rank in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0, f"{process.name} ended with {process.exitcode}"
