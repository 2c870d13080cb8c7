"""Good: a loop over the world's size gives each rank as many broadcasts as every other.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import os

import torch
import torch.distributed as dist


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo")
    seen = []
    for source in range(world):
        x = torch.tensor([float(rank)]) if source == rank else torch.zeros(1)
        dist.broadcast(x, src=source)
        seen.append(x.item())
    if rank == 0:
        print(seen)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
