"""Bad: the failure is put on the queue as text, but only from after the device mesh's group was made.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: no-early-exit-check, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as td
from torch import multiprocessing


def rank_main(i, n, channel):
    torch.set_num_threads(1)
    td.init_process_group(  # <- init-outside-try
        "gloo", rank=i, world_size=n, init_method="tcp://127.0.0.1:31444"
    )
    ok = False
    try:
        x = torch.tensor(i)
        td.reduce(x, dst=0)
        ok = True
    except RuntimeError as err:
        channel.put(f"rank {i} failed: {err!r}")
    finally:
        td.destroy_process_group()
    if ok:
        channel.put(f"rank {i} fine")


def test_reduce_to_zero():
    channel = multiprocessing.Manager().Queue()
    ranks = [multiprocessing.Process(target=rank_main, args=(i, 2, channel)) for i in range(2)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
    lines = sorted(channel.get_nowait() for _ in range(2))
    assert lines == ["rank 0 fine", "rank 1 fine"]
