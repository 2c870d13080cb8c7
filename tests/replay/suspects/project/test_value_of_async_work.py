"""The ranks agree on sums that were reduced beside each other, and the test expects something else.

Family: test-assertion by spawn, with asynchronous operations.
Expected verdict: deterministic.
Expected cause: test-assertion: 6.0 is not 8.0; every collective matched.
Must not say: a rank failed, a mismatch, a crash, a divergence.
"""

import pathlib

import torch
import torch.distributed as dist
from ranks import exit_codes, join_group


def _worker(rank: int, port: int, folder: pathlib.Path) -> None:
    join_group(rank, port)
    parts = [torch.ones(2) for _ in range(3)]
    started = [dist.all_reduce(part, async_op=True) for part in parts]
    for work in started:
        work.wait()
    (folder / f"rank-{rank}").write_text(str(float(sum(part[0] for part in parts))))
    dist.barrier()
    dist.destroy_process_group()


def test_parts_add_up(tmp_path: pathlib.Path) -> None:
    assert exit_codes(_worker, tmp_path, start="spawn") == [0, 0]
    assert float((tmp_path / "rank-1").read_text()) == 8.0
