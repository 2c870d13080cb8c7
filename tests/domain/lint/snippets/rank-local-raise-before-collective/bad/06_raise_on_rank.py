"""Bad: the branch of one rank raises although the others stand in the barrier behind it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, one-item-drained, port-found-then-released, rank-0-only-report
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import os

import torch
import torch.distributed as dist


def read_config(text):
    values = dict(line.split("=") for line in text.splitlines())
    if "lr" not in values:
        raise KeyError("lr")  # <- rank-local-raise-before-collective
    return float(values["lr"])


def configure(text):
    dist.barrier()
    lr = torch.zeros(1)
    if dist.get_rank() == 0:
        lr[0] = read_config(text)  # <- rank-local-raise-before-collective
    dist.broadcast(lr, src=0)
    return lr.item()


def main():
    dist.init_process_group("gloo")
    print(configure(os.environ.get("CONFIG", "lr=0.1")))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
