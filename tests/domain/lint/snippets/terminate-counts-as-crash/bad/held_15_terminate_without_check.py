"""Bad: after join(timeout) every process gets terminate(), which hits just the slow ones, then codes count.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective
"""

import multiprocessing as mp

import torch
import torch.distributed as dist


def participant(rank, world, init_method):
    dist.init_process_group("gloo", init_method=init_method, rank=rank, world_size=world)
    xs = [torch.zeros(1) for _ in range(world)]
    dist.all_gather(xs, torch.tensor([float(rank)]))
    dist.barrier()
    dist.destroy_process_group()


def test_participants(tmp_path):
    procs = []
    for rank in range(2):
        p = mp.Process(target=participant, args=(rank, 2, f"file://{tmp_path}/f"))
        p.start()
        procs.append(p)
    for p in procs:
        p.join(15)
    for p in procs:
        p.terminate()  # <- terminate-counts-as-crash
    for p in procs:
        p.join()
    failures = [f"rank {rank}: {p.exitcode}" for rank, p in enumerate(procs) if p.exitcode != 0]
    assert not failures, failures  # <- terminate-counts-as-crash
