"""Good: start_processes with join raises what any rank raised, the gathered list of rank 0 is only the value.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as tmp


def entry(rank, world, init, out):
    dist.init_process_group("gloo", init_method=init, rank=rank, world_size=world)
    torch.manual_seed(rank)
    mine = {"rank": rank, "sample": torch.rand(1).item()}
    everyone = [None for _ in range(world)]
    dist.all_gather_object(everyone, mine)
    if rank == 0:
        out.put(everyone)
    dist.barrier()
    dist.destroy_process_group()


def test_samples_differ(tmp_path):
    out = tmp.get_context("spawn").SimpleQueue()
    args = (2, f"file://{tmp_path}/s", out)
    tmp.start_processes(entry, args=args, nprocs=2, join=True, start_method="spawn")
    first, second = out.get()
    assert first["sample"] != second["sample"]
