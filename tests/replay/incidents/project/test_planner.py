"""The shape of incident 2: one rank raises while planning, the other waits alone in the next reduction.

Family: an exception between collectives, kept by its rank.
Expected verdict: deterministic, under every limit.
Expected cause: rank-divergence, origin rank 0: it raised ValueError("no packing fits budget 7") in
estimate_packing, whose cause is OverflowError and whose context is StopIteration, after WORLD's matched
collective 14 (2 in [first-use]); rank 1 entered number 15, all_reduce with MIN, alone; rank 0 was alive
when rank 1 gave up after 15 s.
Must not say: rank 1 is the origin, a crash, a slow worker, a timeout or a closed connection as the cause.
"""

import pathlib
import socket

import pytest
import torch.distributed as dist
import torch.multiprocessing as mp
from planning import PEER_TIMEOUT_S, all_ranks_true, await_peer, estimate_packing, join


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _plan(rank: int, port: int, mark: pathlib.Path, recoveries: int, ends: mp.SimpleQueue) -> None:
    join(rank, port)
    end = "planned"
    try:
        dist.barrier()  # what a checkpoint asks for first
        for _ in range(recoveries):
            all_ranks_true(flag=True)
        estimate_packing([3, 4, 8 if rank == 0 else 5], budget=7)
        all_ranks_true(flag=True)
    except Exception as error:
        end = type(error).__name__
        if rank == 0:
            await_peer(mark, PEER_TIMEOUT_S + 10)
    if rank == 1:
        mark.touch()
    ends.put((rank, end))
    dist.destroy_process_group()


@pytest.mark.parametrize("recoveries", [13, 1], ids=["after-release", "first-use"])
def test_ranks_plan_alike(recoveries: int, tmp_path: pathlib.Path) -> None:
    context = mp.get_context("fork")
    ends, port = context.SimpleQueue(), _free_port()
    given = (port, tmp_path / "recorded", recoveries, ends)
    ranks = [context.Process(target=_plan, args=(rank, *given)) for rank in range(2)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join(timeout=40)
        assert rank.exitcode == 0
    assert dict(ends.get() for _ in ranks) == {0: "planned", 1: "planned"}
