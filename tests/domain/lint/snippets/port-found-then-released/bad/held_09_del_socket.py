"""Bad: the socket is a local of the helper: it is closed with the return, when nobody holds it any more.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import os
from socket import AF_INET, SOCK_STREAM, socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def setup_port():
    sock = socket(AF_INET, SOCK_STREAM)
    sock.bind(("", 0))  # <- port-found-then-released
    os.environ["MASTER_PORT"] = str(sock.getsockname()[1])  # <- port-found-then-released
    sock.close()  # <- port-found-then-released
    os.environ["MASTER_ADDR"] = "127.0.0.1"


def entry(rank):
    dist.init_process_group("gloo", rank=rank, world_size=2)
    dist.barrier()
    dist.destroy_process_group()


def test_entry():
    setup_port()
    mp.spawn(entry, nprocs=2)
