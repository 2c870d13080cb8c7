"""Suspect T01, a fixed sleep instead of a wait.

Family: timing; a file is read after a sleep that the writer's work usually fits into.
Expected verdict: passes at 2, 1 and mostly at 0.5 CPU; fails at 0.25 CPU.
Expected cause: rank-exception: rank 1 raised FileNotFoundError in _read while rank 0 was still in _write.
Must not say: rank 0 failed, a collective differed, a rank was killed.
"""

import pathlib
import time

import torch.distributed as dist
from ranks import burn, exit_codes, join_group


def _write(path: pathlib.Path) -> None:
    burn(0.2)
    path.write_text("42")


def _read(path: pathlib.Path) -> int:
    return int(path.read_text())


def _worker(rank: int, port: int, path: pathlib.Path) -> None:
    join_group(rank, port)
    dist.barrier()
    if rank == 0:
        _write(path)
    else:
        time.sleep(0.55)
        assert _read(path) == 42
    dist.barrier()
    dist.destroy_process_group()


def test_setting_arrives(tmp_path: pathlib.Path) -> None:
    assert exit_codes(_worker, tmp_path / "setting") == [0, 0]
