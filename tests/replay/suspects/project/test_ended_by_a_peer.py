"""A rank that takes its peer for lost ends it.

Family: terminated-slow by spawn; the sender is a rank, not the parent.
Expected verdict: deterministic.
Expected cause: terminated-slow: rank 0 ended rank 1 by SIGTERM while it was still computing in _compile.
Must not say: a crash, the parent ended it, a rank that raised first.
"""

import os
import pathlib
import signal
import time

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _compile() -> None:
    end = time.thread_time() + 15
    while time.thread_time() < end:
        pass


def _await(mark: pathlib.Path, peer: int) -> None:
    end = time.monotonic() + 1
    while not mark.exists():
        if time.monotonic() > end:
            os.kill(peer, signal.SIGTERM)
            return
        time.sleep(0.05)


def _worker(rank: int, port: int, mark: pathlib.Path) -> None:
    join_group(rank, port, timeout_s=5)
    pids = [torch.zeros(1, dtype=torch.int64) for _ in range(2)]
    dist.all_gather(pids, torch.tensor([os.getpid()]))
    if rank == 1:
        _compile()
        mark.touch()
    else:
        _await(mark, int(pids[1]))
        return
    dist.destroy_process_group()


def test_kernel_is_compiled(tmp_path: pathlib.Path) -> None:
    assert exit_codes(_worker, tmp_path / "compiled", start="spawn") == [0, 0]
