"""Good: the codes are taken before terminate(), so None stands for slow in what is asserted.

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
    codes = {f"rank {rank}": p.exitcode for rank, p in enumerate(procs)}
    for p in procs:
        p.terminate()
    for p in procs:
        p.join()
    assert codes == {"rank 0": 0, "rank 1": 0}, f"{codes}, where None means still running after 15 s"
