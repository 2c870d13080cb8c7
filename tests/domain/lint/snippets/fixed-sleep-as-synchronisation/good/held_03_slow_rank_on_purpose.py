"""Good: the sleep makes rank 1 late on purpose, which is what is tested; the barrier does the waiting.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, world_size, url):
    dist.init_process_group("gloo", url, rank=rank, world_size=world_size)
    started = time.monotonic()
    if rank == 1:
        time.sleep(1)
    dist.barrier()
    waited = time.monotonic() - started
    assert waited >= 0.9, f"rank {rank} left the barrier after {waited} s"
    dist.destroy_process_group()


def test_barrier_waits_for_the_slow_rank(tmp_path):
    mp.spawn(run, args=(2, f"file://{tmp_path}/s"), nprocs=2)
