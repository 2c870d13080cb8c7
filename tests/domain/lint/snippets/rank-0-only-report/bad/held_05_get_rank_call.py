"""Bad: the report is guarded by dist.get_rank() == 0 and the processes are plain ones.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import os
from multiprocessing import Process, Queue

import torch
import torch.distributed as dist


def work(i, n, out):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29545")
    dist.init_process_group("gloo", rank=i, world_size=n)
    model = torch.nn.Linear(3, 3)
    for p in model.parameters():
        dist.broadcast(p.data, src=0)
    norm = sum(p.norm() for p in model.parameters())
    dist.all_reduce(norm)
    if dist.get_rank() == 0:  # <- rank-0-only-report
        out.put(norm.item())  # <- rank-0-only-report
    dist.barrier()
    dist.destroy_process_group()


def test_norm_is_finite():
    out = Queue()
    ps = [Process(target=work, args=(i, 2, out)) for i in range(2)]
    [p.start() for p in ps]
    norm = out.get(timeout=30)
    [p.join() for p in ps]
    assert 0 < norm < 1e3
