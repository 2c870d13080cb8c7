"""Bad: contextlib.closing releases the socket before the init method's URL is built.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import contextlib
import socket

import torch
import torch.distributed as dist
from torch.multiprocessing import spawn


def _free_tcp_url():
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("localhost", 0))  # <- port-found-then-released
        host, port = sock.getsockname()  # <- port-found-then-released
    return f"tcp://{host}:{port}"  # <- port-found-then-released


def body(rank, n, url):
    dist.init_process_group("gloo", init_method=url, rank=rank, world_size=n)
    x = torch.tensor([rank])
    dist.broadcast(x, src=1)
    assert x.item() == 1
    dist.barrier()
    dist.destroy_process_group()


def test_body():
    spawn(body, args=(2, _free_tcp_url()), nprocs=2)
