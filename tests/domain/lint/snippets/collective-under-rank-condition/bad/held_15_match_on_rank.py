"""Bad: of a match on the rank only the first two cases call the barrier.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch.distributed as dist
import torch.multiprocessing as mp


def roles(rank, n):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29715", rank=rank, world_size=n)
    match rank:
        case 0:  # <- collective-under-rank-condition
            print("leader")
            dist.barrier()  # <- collective-under-rank-condition
        case 1:  # <- collective-under-rank-condition
            print("deputy")
            dist.barrier()  # <- collective-under-rank-condition
        case _:
            print("follower")
    dist.destroy_process_group()


def test_roles():
    mp.spawn(roles, args=(3,), nprocs=3)
