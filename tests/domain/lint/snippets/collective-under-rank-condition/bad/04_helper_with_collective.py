"""Bad: a helper that gathers is called on the main rank only.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


def gather_losses(loss):
    losses = [torch.zeros(1) for _ in range(dist.get_world_size())]
    dist.all_gather(losses, loss)  # <- collective-under-rank-condition
    return torch.cat(losses)


class Logger:
    def __init__(self, rank):
        self.is_main = rank == 0

    def log(self, loss):
        if self.is_main:  # <- collective-under-rank-condition
            print("mean loss", gather_losses(loss).mean())  # <- collective-under-rank-condition


def train(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29704", rank=rank, world_size=world_size)
    logger = Logger(rank)
    for step in range(3):
        logger.log(torch.tensor([float(step)]))
    dist.destroy_process_group()
