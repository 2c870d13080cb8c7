"""Suspect T09, a port that was found free is taken before it is used.

Family: timing; bind, release, and bind again after others asked for ports too.
Expected verdict: passes as long as there are ports in plenty; fails often with 32 of them.
Expected cause: port-in-use: rank 0 could not bind the rendezvous' port (EADDRINUSE).
Must not say: rank 1 is the origin, a rank never called init, a timeout as the cause.
"""

import socket

import torch
import torch.distributed as dist
from ranks import exit_codes, free_port, join_group

ENDPOINTS = 8


def _worker(rank: int, port: int) -> None:
    join_group(rank, port, timeout_s=4)
    dist.all_reduce(torch.ones(4))
    dist.destroy_process_group()


def test_ranks_meet_beside_endpoints() -> None:
    port = free_port()
    endpoints = [socket.create_server(("127.0.0.1", 0)) for _ in range(ENDPOINTS)]
    codes = exit_codes(_worker, port=port, join_s=6)
    for endpoint in endpoints:
        endpoint.close()
    assert codes == [0, 0]
