"""A loop that the probe may ride in: `python probed_loop.py KIND`, a round of work for each number on stdin.

Answers each number of repetitions with the CPU seconds that they took, of all threads: with one rank
nobody is waited for, and what else runs on the machine counts for nothing.
"""

import sys
import time
from collections.abc import Callable

import torch
import torch.distributed as dist

STEP = 90_000  # numbers to add: about a millisecond


def reductions() -> Callable[[], object]:
    """The least that a collective can cost: a world of one rank."""
    value = torch.ones(4)
    return lambda: dist.all_reduce(value)


def steps() -> Callable[[], object]:
    """A step of about one millisecond, the same each time, and the reduction of a flag after it."""
    flag = torch.ones(1)

    def step() -> None:
        sum(range(STEP))
        dist.all_reduce(flag, op=dist.ReduceOp.MIN)

    return step


def ddp() -> Callable[[], object]:
    """Forward, backward with its reduction, optimizer, and the loss of all ranks."""
    plain = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 64))
    model = torch.nn.parallel.DistributedDataParallel(plain)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batch = torch.ones(64, 256)

    def step() -> None:
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        dist.all_reduce(loss.detach())

    return step


def main(kind: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    work = {"reductions": reductions, "steps": steps, "ddp": ddp}[kind]()
    for line in sys.stdin:
        before = time.process_time()
        for _ in range(int(line)):
            work()
        sys.stdout.write(f"{time.process_time() - before}\n")
        sys.stdout.flush()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
