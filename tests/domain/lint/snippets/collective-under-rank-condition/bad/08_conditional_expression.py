"""Bad: a conditional expression reduces on the last rank and gives None elsewhere.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, one-item-drained
# clean: port-found-then-released, rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
from torch import distributed as td
from torch import multiprocessing


def body(i, n):
    td.init_process_group("gloo", "tcp://127.0.0.1:29708", rank=i, world_size=n)
    x = torch.arange(3)
    work = td.all_reduce(x, async_op=True) if i == n - 1 else None  # <- collective-under-rank-condition
    if work is not None:
        work.wait()
    td.destroy_process_group()


def test_body():
    multiprocessing.spawn(body, args=(3,), nprocs=3)
