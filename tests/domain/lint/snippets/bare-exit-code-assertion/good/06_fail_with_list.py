"""Good: pytest.fail lists rank and code of whoever failed.

# clean: collective-under-rank-condition, fixed-sleep-as-synchronisation, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def body(rank, n, url):
    dist.init_process_group("gloo", url, rank=rank, world_size=n)
    x = torch.zeros(1)
    dist.broadcast(x, 0)
    dist.barrier()
    dist.destroy_process_group()


@pytest.mark.parametrize("n", [2, 3])
def test_broadcast(n, tmp_path):
    ctx = mp.get_context("spawn")
    procs = [ctx.Process(target=body, args=(rank, n, f"file://{tmp_path}/b")) for rank in range(n)]
    [p.start() for p in procs]
    [p.join() for p in procs]
    failed = [(rank, p.exitcode) for rank, p in enumerate(procs) if p.exitcode != 0]
    if any(code != 0 for _, code in failed):
        pytest.fail(f"workers failed (rank, exit code): {failed}")
