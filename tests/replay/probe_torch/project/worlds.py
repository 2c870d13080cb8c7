"""Worlds of ranks that talk over Gloo, one kind of traffic each: `python worlds.py FOLDER KIND...`.

Prints a line of JSON for each world: its kind, the process of each rank, and how each ended.
"""

import datetime as dt
import importlib
import json
import multiprocessing
import signal
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed import all_gather_into_tensor, all_reduce  # taken by name, as tests do

SIZES = {"subgroups": 3, "four": 4}


def plain(_rank: int) -> None:
    value = torch.ones(4)
    all_reduce(value)
    dist.all_reduce(value, op=dist.ReduceOp.MAX)
    dist.broadcast(value, src=1)
    dist.reduce(value, 0, op=dist.ReduceOp.MIN)
    all_gather_into_tensor(torch.empty(8), value)
    dist.all_gather([torch.empty(4) for _ in range(2)], value)
    dist.reduce_scatter_tensor(torch.empty(2), value)
    dist.all_to_all_single(torch.empty(4), value)
    dist.barrier()
    dist.monitored_barrier()


def objects(rank: int) -> None:
    found = [None, None]
    dist.all_gather_object(found, {"rank": rank, "text": "x" * 100 * (rank + 1)})
    dist.gather_object(rank, found if rank == 1 else None, dst=1)
    dist.broadcast_object_list(found, src=0)
    dist.scatter_object_list([None], [1, 2] if rank == 0 else None, src=0)
    dist.all_reduce(torch.ones(1))
    assert found[0] is not None


def asynchronous(_rank: int) -> None:
    value = torch.ones(2)
    work = dist.all_reduce(value, async_op=True)
    time.sleep(0.05)
    work.wait()
    assert value[0] == 2
    forgotten = dist.all_reduce(torch.ones(2), async_op=True)
    while not forgotten.is_completed():
        time.sleep(0.001)
    del forgotten
    dist.barrier()


def peers(rank: int) -> None:
    value, other = torch.ones(3), 1 - rank
    if rank == 0:
        dist.send(value, 1)
        dist.recv(value, src=1)
    else:
        dist.recv(value, src=0)
        dist.send(value, 0)
    sent, received = dist.isend(value, other), dist.irecv(value, other)
    sent.wait()
    received.wait()
    pair = [dist.P2POp(dist.isend, value, other), dist.P2POp(dist.irecv, torch.ones(3), other)]
    for work in dist.batch_isend_irecv(pair):
        work.wait()
    dist.all_reduce(value)


def subgroups(rank: int) -> None:
    pair = dist.new_group([0, 2], timeout=dt.timedelta(seconds=9), group_desc="outer")
    for _ in range(3):
        dist.all_reduce(torch.ones(1), group=pair)
    if rank != 1:
        dist.broadcast(torch.ones(1), group=pair, group_src=1)
        dist.destroy_process_group(pair)
    dist.all_reduce(torch.ones(1))


def four(rank: int) -> None:
    evens, odds = dist.new_group([0, 2]), dist.new_group([1, 3])
    mine = evens if rank % 2 == 0 else odds
    for _ in range(5):
        dist.all_reduce(torch.ones(1), group=mine)
        dist.all_reduce(torch.ones(1))


def dtensor(_rank: int) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor

    mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("dp",))
    shard = distribute_tensor(torch.arange(16.0).reshape(4, 4), mesh, [Shard(0)])
    assert shard.full_tensor().sum() == 120


def fsdp2(_rank: int) -> None:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2))
    fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
    model(torch.ones(2, 4)).sum().backward()


def ddp(_rank: int) -> None:
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
    for _ in range(2):
        model(torch.ones(3, 4)).sum().backward()


def checkpoint(rank: int) -> None:
    from torch.distributed import checkpoint as dcp

    state = {"weight": torch.ones(4) * rank}
    dcp.save(state, checkpoint_id=Path(sys.argv[1]) / "saved")
    dcp.load(state, checkpoint_id=Path(sys.argv[1]) / "saved")


def again(rank: int) -> None:
    """Destroys its world and initialises another one."""
    dist.all_reduce(torch.ones(1))
    dist.destroy_process_group()
    begin(rank, 2, "again-2")
    dist.all_reduce(torch.ones(1))
    dist.all_reduce(torch.ones(1))


def raising(rank: int) -> None:
    """Rank 0 leaves before the second collective, which rank 1 then enters alone."""
    dist.all_reduce(torch.ones(1))
    if rank == 0:
        time.sleep(1.5)
        raise KeyError("left")
    dist.all_reduce(torch.ones(1))


def stuck(rank: int) -> None:
    """Rank 1 waits in a DTensor's collective until somebody kills it; rank 0 waits for that."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor

    mesh = init_device_mesh("cpu", (2,), mesh_dim_names=("dp",))
    shard = distribute_tensor(torch.arange(16.0).reshape(4, 4), mesh, [Shard(0)])
    if rank == 1:
        shard.full_tensor()
    signal.pause()


def begin(rank: int, size: int, name: str) -> None:
    timeout = dt.timedelta(seconds=1 if name == "raising" else 60)
    where = (Path(sys.argv[1]) / name).as_uri()
    dist.init_process_group("gloo", init_method=where, rank=rank, world_size=size, timeout=timeout)


def work(kind: str, rank: int, size: int) -> None:
    if kind == "subgroups":
        try:
            begin(rank, size, kind)
        except OSError as error:
            raise SystemExit(3) from error
    else:
        begin(rank, size, kind)
    globals()[kind](rank)
    if kind != "ddp":
        dist.destroy_process_group()


def import_once(kinds: list[str]) -> None:
    """In the parent of all ranks, which fork."""
    wanted = {
        "dtensor": "tensor",
        "stuck": "tensor",
        "fsdp2": "fsdp",
        "checkpoint": "checkpoint",
        "ddp": "fsdp",
    }
    for kind in kinds:
        if kind in wanted:
            importlib.import_module("torch.distributed." + wanted[kind])


def tell(found: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(found) + "\n")
    sys.stdout.flush()


def run(kind: str) -> dict[str, object]:
    size = SIZES.get(kind, 2)
    context = multiprocessing.get_context("fork")
    ranks = [context.Process(target=work, args=(kind, rank, size)) for rank in range(size)]
    for one in ranks:
        one.start()
    told = {"kind": kind, "pids": [one.pid for one in ranks]}
    if kind == "stuck":
        tell(told)
    for one in ranks:
        one.join()
    return {**told, "codes": [one.exitcode for one in ranks]}


if __name__ == "__main__":
    torch.set_num_threads(1)
    import_once(sys.argv[2:])
    for each in sys.argv[2:]:
        tell(run(each))
