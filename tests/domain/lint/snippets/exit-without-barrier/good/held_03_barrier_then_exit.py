"""Good: every rank comes to the barrier, and rank 0 exits after it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
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
    pair = dist.new_group([1, 2])
    if rank in (1, 2):
        dist.all_reduce(t, group=pair)
    dist.barrier()
    if rank == 0:
        print("sum", t.sum().item())
        sys.exit(0)
    print("rank", rank, t.sum().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
