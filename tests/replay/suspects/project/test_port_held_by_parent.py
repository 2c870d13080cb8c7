"""The parent still listens where the ranks are to meet.

Family: port-in-use by fork.
Expected verdict: deterministic.
Expected cause: port-in-use: rank 0 could not bind the rendezvous' port (EADDRINUSE) in
init_process_group.
Must not say: rank 1 is the origin, a timeout as the cause, a crash.
"""

import socket

import torch.distributed as dist
from ranks import exit_codes, join_group


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=3)
    dist.barrier()
    dist.destroy_process_group()


def test_ranks_meet() -> None:
    with socket.create_server(("", 0)) as status_page:
        assert exit_codes(_worker, port=status_page.getsockname()[1], join_s=4) == [0, 0]
