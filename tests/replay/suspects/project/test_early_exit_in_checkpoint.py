"""A rank that has nothing to load leaves before the others have loaded.

Family: early-exit by spawn, with the traffic of a distributed checkpoint.
Expected verdict: deterministic.
Expected cause: early-exit: rank 1 left cleanly, exit code 0, after the save; rank 0 still needed it in
the load.
Must not say: rank 0 is the origin, rank 1 crashed, a closed connection as the cause.
"""

import pathlib

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _worker(rank: int, port: int, folder: pathlib.Path) -> None:
    import torch.distributed.checkpoint as dcp

    join_group(rank, port, timeout_s=5)
    state = {f"layer{rank}": torch.ones(8)}
    dcp.save(state, checkpoint_id=folder)
    if rank == 0:
        dcp.load(state, checkpoint_id=folder)
    dist.destroy_process_group()


def test_checkpoint_returns(tmp_path: pathlib.Path) -> None:
    assert exit_codes(_worker, tmp_path / "checkpoint", start="spawn") == [0, 0]
