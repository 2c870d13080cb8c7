"""Good: the port is computed from the xdist worker's number and no socket has looked for it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, rank-0-only-report, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import os

import torch.distributed as dist
import torch.multiprocessing as mp


def port_for(test_number):
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    return 21000 + 100 * int(worker) + test_number


def run(rank, port):
    dist.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    dist.barrier()
    dist.destroy_process_group()


def test_run():
    mp.spawn(run, args=(port_for(1),), nprocs=2)
