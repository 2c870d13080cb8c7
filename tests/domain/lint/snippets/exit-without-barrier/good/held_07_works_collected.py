"""Good: the isends of a loop are collected and all waited for.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing

import torch
import torch.distributed as dist


def body(rank, n, url):
    dist.init_process_group("gloo", url, rank=rank, world_size=n)
    x = torch.ones(100_000) * rank
    pending = []
    if rank == 0:
        for peer in range(1, n):
            pending.append(dist.isend(x, peer))
    else:
        dist.recv(x, 0)
        assert x.sum() == 0
    for work in pending:
        work.wait()
    dist.barrier()
    dist.destroy_process_group()


def test_fan_out(tmp_path):
    url = f"file://{tmp_path}/s"
    ranks = [multiprocessing.Process(target=body, args=(rank, 3, url)) for rank in range(3)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
    assert [rank.exitcode for rank in ranks] == [0, 0, 0]
