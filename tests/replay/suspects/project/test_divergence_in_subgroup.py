"""A rank leaves its subgroup's step out and goes on to something else.

Family: rank-divergence by fork, four ranks, two subgroups, no exception anywhere.
Expected verdict: deterministic.
Expected cause: rank-divergence: rank 3 did not enter collective 2 of its subgroup (ranks 2 and 3), which rank
2 entered alone; rank 3 waits for a file instead.
Must not say: rank 2 is the origin, a late rank, a timeout as the cause.
"""

import datetime as dt
import pathlib
import time

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _await(mark: pathlib.Path) -> None:
    end = time.monotonic() + 10
    while not mark.exists() and time.monotonic() < end:
        time.sleep(0.05)


def _worker(rank: int, port: int, marks: pathlib.Path) -> None:
    join_group(rank, port, world=4, timeout_s=3)
    pairs = [dist.new_group(ranks, timeout=dt.timedelta(seconds=3)) for ranks in ([0, 1], [2, 3])]
    for step in range(2):
        if (rank, step) != (3, 1):
            dist.all_reduce(torch.ones(4), group=pairs[rank // 2])
    (marks / str(rank)).touch()
    _await(marks / str(rank ^ 1))


def test_pairs_reduce(tmp_path: pathlib.Path) -> None:
    assert exit_codes(_worker, tmp_path, world=4, join_s=15) == [0, 0, 0, 0]
