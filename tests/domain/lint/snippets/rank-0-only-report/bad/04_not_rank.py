"""Bad: `if not rank` sends over the pipe; rank 1 has no way to say what went wrong.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing

import torch
import torch.distributed as dist


def child(rank, size, conn):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29544", rank=rank, world_size=size)
    value = torch.arange(4) + rank
    dist.reduce(value, dst=0)
    if not rank:  # <- rank-0-only-report
        conn.send(value.tolist())  # <- rank-0-only-report
    dist.barrier()
    dist.destroy_process_group()


def test_reduce_to_root():
    reader, writer = multiprocessing.Pipe(duplex=False)
    kids = [multiprocessing.Process(target=child, args=(r, 2, writer)) for r in (0, 1)]
    for kid in kids:
        kid.start()
    writer.close()
    assert reader.recv() == [1, 3, 5, 7]
    for kid in kids:
        kid.join()
