"""A rank keeps its exception to itself while its peer gathers a distributed tensor.

Family: rank-divergence by spawn, with the traffic of DTensor, which a wrapper of functions hardly sees.
Expected verdict: deterministic.
Expected cause: rank-divergence: rank 0 raised LookupError("no entry for layer 2") in _find and lives on;
rank 1 is alone in the gathering of full_tensor.
Must not say: rank 1 is the origin, a late rank, a closed connection as the cause.
"""

import pathlib
import time

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _find(rank: int) -> int:
    if rank == 0:
        raise LookupError("no entry for layer 2")
    return 2


def _worker(rank: int, port: int, mark: pathlib.Path) -> None:
    from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh

    join_group(rank, port, timeout_s=4)
    state = distribute_tensor(torch.ones(4, 4), init_device_mesh("cpu", (2,)), [Shard(0)])
    try:
        _find(rank)
        state.full_tensor()
    except LookupError:
        end = time.monotonic() + 12
        while not mark.exists() and time.monotonic() < end:
            time.sleep(0.05)
    finally:
        if rank == 1:
            mark.touch()
    dist.destroy_process_group()


def test_layers_are_found(tmp_path: pathlib.Path) -> None:
    assert exit_codes(_worker, tmp_path / "recorded", start="spawn") == [0, 0]
