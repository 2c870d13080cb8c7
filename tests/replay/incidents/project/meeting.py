"""What each rank of `test_ranks_started.py` does, as a function and as a program."""

import datetime as dt
import os
import pathlib

import torch
import torch.distributed as dist

PEER_S = 12


def meet(rank: int, port: int, place: pathlib.Path) -> None:
    """`place` is a folder, in which each rank says that it has begun."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE="2")
    run(place)


def run(place: pathlib.Path) -> None:
    (place / os.environ["RANK"]).touch()
    dist.init_process_group("gloo", timeout=dt.timedelta(seconds=PEER_S))
    for _ in range(2):
        dist.all_reduce(torch.ones(4))
    dist.destroy_process_group()


if __name__ == "__main__":
    run(pathlib.Path(os.environ["MEETING_PLACE"]))
