"""Suspect T05, a checkpoint that a thread still writes is read.

Family: timing; an asynchronous save without a wait.
Expected verdict: passes at 2 and 1 CPU; fails sometimes at 0.5 CPU, nearly always at 0.25.
Expected cause: rank-exception: rank 1 raised RuntimeError("checkpoint is torn ...") in _load while thread
"saver" of rank 0 still wrote.
Must not say: rank 0 raised, a late collective, a crash.
"""

import pathlib
import threading
import time

import torch.distributed as dist
from ranks import burn, exit_codes, join_group

PIECES = 6


def _save(folder: pathlib.Path) -> None:
    for piece in range(PIECES):
        burn(0.025)
        (folder / f"piece-{piece}").write_bytes(bytes(4096))


def _load(folder: pathlib.Path) -> None:
    missing = [piece for piece in range(PIECES) if not (folder / f"piece-{piece}").exists()]
    if missing:
        raise RuntimeError(f"checkpoint is torn: pieces {missing} are missing")


def _worker(rank: int, port: int, folder: pathlib.Path) -> None:
    join_group(rank, port)
    dist.barrier()
    saver = threading.Thread(target=_save, args=(folder,), name="saver")
    if rank == 0:
        saver.start()
        saver.join()
    else:
        time.sleep(0.4)
        _load(folder)
    dist.barrier()
    dist.destroy_process_group()


def test_checkpoint_loads(tmp_path: pathlib.Path) -> None:
    assert exit_codes(_worker, tmp_path) == [0, 0]
