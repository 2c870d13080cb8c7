"""Bad: odd ranks `continue` before the barrier at the end of the turn.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import multiprocessing as mp

import torch
import torch.distributed as dist


def steps(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29709", rank=rank, world_size=world_size)
    for step in range(4):
        x = torch.ones(2) * step
        if rank % 2:  # <- collective-under-rank-condition
            continue
        print(rank, x.sum())
        dist.barrier()  # <- collective-under-rank-condition
    dist.destroy_process_group()


def test_steps():
    ps = [mp.Process(target=steps, args=(rank, 4)) for rank in range(4)]
    for p in ps:
        p.start()
    for p in ps:
        p.join()
    assert [p.exitcode for p in ps] == [0] * 4
