"""Good: the leader and the followers reach the same broadcast by helpers of their own.

# clean: bare-exit-code-assertion, fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: one-item-drained, port-found-then-released, rank-0-only-report, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def _publish(values):
    t = torch.tensor(values)
    dist.broadcast(t, src=0)
    return t


def _receive(count):
    t = torch.zeros(count)
    dist.broadcast(t, src=0)
    return t


def share(rank, world_size):
    dist.init_process_group("gloo", "tcp://127.0.0.1:29713", rank=rank, world_size=world_size)
    t = _publish([1.0, 2.0]) if rank == 0 else _receive(2)
    assert t.tolist() == [1.0, 2.0]
    dist.destroy_process_group()


def test_share():
    mp.spawn(share, args=(3,), nprocs=3)
