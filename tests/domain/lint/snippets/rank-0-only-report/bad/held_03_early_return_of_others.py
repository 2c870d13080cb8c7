"""Bad: every rank but 0 returns before the report, its failures go nowhere.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def _main(local_rank, world_size, answers):
    dist.init_process_group("gloo", "tcp://localhost:29543", rank=local_rank, world_size=world_size)
    parts = [torch.zeros(2) for _ in range(world_size)]
    dist.all_gather(parts, torch.full((2,), float(local_rank)))
    dist.barrier()
    dist.destroy_process_group()
    if local_rank != 0:  # <- rank-0-only-report
        return
    answers.put(torch.cat(parts).tolist())  # <- rank-0-only-report


def test_gather():
    ctx = mp.get_context("spawn")
    answers = ctx.SimpleQueue()
    procs = []
    for local_rank in range(2):
        proc = ctx.Process(target=_main, args=(local_rank, 2, answers))
        proc.start()
        procs.append(proc)
    gathered = answers.get()
    for proc in procs:
        proc.join()
    assert gathered == [0.0, 0.0, 1.0, 1.0]
