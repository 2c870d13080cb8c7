"""Bad: the rank program of rank 0 answers one request of the store and exits, others may come later.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import os
import sys

import torch.distributed as dist


def follower(store, rank):
    store.wait(["config"])
    return store.get("config").decode()


def leader(store):
    store.set("config", "lr=0.1")  # <- exit-without-barrier


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), world, rank == 0)
    if rank == 0:
        leader(store)
        sys.exit()  # <- exit-without-barrier
    print(follower(store, rank))


if __name__ == "__main__":
    main()
