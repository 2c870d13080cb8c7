"""Bad: rank 0, the host of the rendezvous store, exits after its own part while others are still at work.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import os
import sys

import torch
import torch.distributed as dist


def main():
    rank = int(os.environ["RANK"])
    dist.init_process_group("gloo")
    t = torch.ones(4)
    dist.all_reduce(t)
    if rank == 0:
        print("sum", t.sum().item())
        sys.exit(0)  # <- exit-without-barrier
    pair = dist.new_group([1, 2], use_local_synchronization=True)
    dist.all_reduce(t, group=pair)
    print("rank", rank, t.sum().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
