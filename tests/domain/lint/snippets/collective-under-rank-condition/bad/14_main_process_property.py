"""Bad: the trainer's property `is_main` guards its evaluation, and evaluating reduces.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


class Trainer:
    def __init__(self):
        self.model = torch.nn.Linear(1, 1)

    @property
    def is_main(self):
        return dist.get_rank() == 0

    def evaluate(self):
        loss = self.model(torch.ones(1, 1)).detach().sum()
        dist.all_reduce(loss)  # <- collective-under-rank-condition
        return loss.item()

    def fit(self, epochs):
        for epoch in range(epochs):
            if self.is_main:  # <- collective-under-rank-condition
                print(epoch, self.evaluate())  # <- collective-under-rank-condition


def test_fit(tmp_path):
    dist.init_process_group("gloo", f"file://{tmp_path}/t", rank=0, world_size=1)
    Trainer().fit(1)
    dist.destroy_process_group()
