"""Good: rank 0 alone puts, yet mp.spawn carries every rank's exception to the test.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def _main(local_rank, world_size, answers):
    dist.init_process_group("gloo", "tcp://localhost:29543", rank=local_rank, world_size=world_size)
    parts = [torch.zeros(2) for _ in range(world_size)]
    dist.all_gather(parts, torch.full((2,), float(local_rank)))
    if local_rank == 0:
        answers.put(torch.cat(parts).tolist())
    dist.barrier()
    dist.destroy_process_group()


def test_gather():
    answers = mp.get_context("spawn").SimpleQueue()
    mp.spawn(_main, args=(2, answers), nprocs=2)
    assert answers.get() == [0.0, 0.0, 1.0, 1.0]
