"""Bad: `rank == 0 and all_reduce(...)` short-circuits on every other rank.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import os

import torch
from torch.distributed import all_reduce, destroy_process_group, init_process_group


def main():
    rank = int(os.environ["RANK"])
    init_process_group("gloo")
    t = torch.ones(3)
    rank == 0 and all_reduce(t)  # <- collective-under-rank-condition
    print(t)
    destroy_process_group()


if __name__ == "__main__":
    main()
