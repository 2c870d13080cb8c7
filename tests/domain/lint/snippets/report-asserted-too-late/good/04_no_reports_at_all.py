"""Good: the workers report nothing, so the exit codes stand before no report; only a value follows.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def job(i, n, total):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29564", rank=i, world_size=n)
    x = torch.tensor([float(i)])
    dist.all_reduce(x)
    with total.get_lock():
        total.value += x.item()
    dist.barrier()
    dist.destroy_process_group()


def test_total():
    total = mp.Value("d", 0.0)
    jobs = [mp.Process(target=job, args=(i, 2, total), name=f"rank-{i}") for i in range(2)]
    for j in jobs:
        j.start()
    for j in jobs:
        j.join(60)
    codes = {j.name: j.exitcode for j in jobs}
    assert codes == {"rank-0": 0, "rank-1": 0}
    assert total.value == 2.0
