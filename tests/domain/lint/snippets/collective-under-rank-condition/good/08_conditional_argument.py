"""Good: the rank decides on an argument; the call itself is made by everyone.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
from torch import distributed as td
from torch import multiprocessing


def body(i, n):
    td.init_process_group("gloo", "tcp://127.0.0.1:29708", rank=i, world_size=n)
    parts = [torch.zeros(1) for _ in range(n)] if i == 0 else None
    td.gather(torch.tensor([float(i)]), gather_list=parts, dst=0)
    td.broadcast(torch.ones(1) if i == 0 else torch.zeros(1), src=0)
    if parts is not None:
        print(torch.cat(parts))
    td.destroy_process_group()


def test_body():
    multiprocessing.spawn(body, args=(3,), nprocs=3)
