"""Tests that hold at every limit, whatever else they do: nothing may be said of them.

Family: healthy; collectives, handled exceptions, uneven work, subgroups and asynchronous operations, threads.
Expected verdict: not reproduced.
Expected cause: none.
Must not say: any cause, at any arm.
"""

import threading

import torch
import torch.distributed as dist
from ranks import burn, exit_codes, join_group
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def _sums(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=60)
    for step in range(10):
        total = torch.tensor([float(rank)])
        dist.all_reduce(total)
        assert float(total) == 1, step
    dist.barrier()
    dist.destroy_process_group()


def _recovers(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=60)
    for step in range(4):
        try:
            [][step + rank]
        except IndexError:
            dist.barrier()
    dist.destroy_process_group()


def _uneven(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=60)
    for step in range(4):
        burn(0.05 if step % 2 == rank else 0.0)
        dist.all_reduce(torch.ones(8))
    dist.barrier()
    dist.destroy_process_group()


def _pairs(rank: int, port: int) -> None:
    join_group(rank, port, world=4, timeout_s=60)
    pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
    totals = [torch.ones(4) for _ in range(3)]
    for work in [dist.all_reduce(total, group=pairs[rank // 2], async_op=True) for total in totals]:
        work.wait()
    assert all(float(total[0]) == 2 for total in totals)
    dist.barrier()
    dist.destroy_process_group()


def _steps(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=60)
    torch.set_num_threads(1)
    model = DistributedDataParallel(nn.Linear(4, 4))
    for _ in range(3):
        model(torch.ones(2, 4)).sum().backward()
    dist.barrier()
    dist.destroy_process_group()


def test_sums() -> None:
    assert exit_codes(_sums, join_s=120) == [0, 0]


def test_ranks_that_handle_what_they_raise() -> None:
    assert exit_codes(_recovers, join_s=120) == [0, 0]


def test_ranks_with_uneven_work() -> None:
    assert exit_codes(_uneven, join_s=120) == [0, 0]


def test_pairs_beside_each_other() -> None:
    assert exit_codes(_pairs, world=4, join_s=120) == [0, 0, 0, 0]


def test_steps_of_a_model() -> None:
    assert exit_codes(_steps, join_s=120) == [0, 0]


def test_sums_by_spawn() -> None:
    assert exit_codes(_sums, start="spawn", join_s=120) == [0, 0]


def test_threads_that_share_a_lock() -> None:
    lock, total = threading.Lock(), [0]

    def add() -> None:
        for _ in range(1000):
            with lock:
                total[0] += 1

    adders = [threading.Thread(target=add) for _ in range(4)]
    for adder in adders:
        adder.start()
    for adder in adders:
        adder.join()
    assert total == [4000]
