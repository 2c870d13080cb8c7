"""Local, pure planning between collectives, as a trainer's ranks do it."""

import datetime as dt
import pathlib
import time

import torch
import torch.distributed as dist

PEER_TIMEOUT_S = 15


def join(rank: int, port: int) -> None:
    dist.init_process_group(
        "gloo",
        init_method=f"tcp://127.0.0.1:{port}",
        rank=rank,
        world_size=2,
        timeout=dt.timedelta(seconds=PEER_TIMEOUT_S),
    )


def all_ranks_true(*, flag: bool) -> bool:
    """Agree on a flag: true when it is true on every rank."""
    vote = torch.tensor([int(flag)])
    dist.all_reduce(vote, op=dist.ReduceOp.MIN)
    return bool(vote.item())


def estimate_packing(lengths: list[int], budget: int) -> int:
    """How many rows of `budget` tokens the sequences need; first fit."""
    rows: list[int] = []
    for length in lengths:
        try:
            room = next(row for row, used in enumerate(rows) if used + length <= budget)
        except StopIteration:
            if length > budget:
                too_long = OverflowError(f"sequence of {length} tokens")
                raise ValueError(f"no packing fits budget {budget}") from too_long
            rows.append(length)
        else:
            rows[room] += length
    return len(rows)


def await_peer(mark: pathlib.Path, most_s: float) -> None:
    """Stay until the peer has recorded its end, so that leaving cannot be what failed it."""
    end = time.monotonic() + most_s
    while not mark.exists() and time.monotonic() < end:
        time.sleep(0.05)
