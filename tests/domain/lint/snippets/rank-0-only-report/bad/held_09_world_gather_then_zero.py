"""Bad: rank 0 gathers the values and puts them; a rank that raises before the gather is heard by nobody.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing as mp

import torch
import torch.distributed as dist


def entry(rank, world, init, out):
    dist.init_process_group("gloo", init_method=init, rank=rank, world_size=world)
    torch.manual_seed(rank)
    mine = {"rank": rank, "sample": torch.rand(1).item()}
    everyone = [None for _ in range(world)]
    dist.all_gather_object(everyone, mine)
    if rank == 0:  # <- rank-0-only-report
        out.put(everyone)  # <- rank-0-only-report
    dist.destroy_process_group()


def test_samples_differ(tmp_path):
    ctx = mp.get_context("forkserver")
    out = ctx.Queue()
    procs = [ctx.Process(target=entry, args=(r, 2, f"file://{tmp_path}/s", out)) for r in range(2)]
    for p in procs:
        p.start()
    everyone = out.get(timeout=60)
    for p in procs:
        p.join(10)
    assert everyone[0]["sample"] != everyone[1]["sample"]
