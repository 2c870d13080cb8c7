"""Bad: a loop over candidates binds each one and gives the first free number back with its socket closed.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import socket

import torch.distributed as dist
import torch.multiprocessing as mp


def is_free(port):
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))  # <- port-found-then-released
        except OSError:
            return False
        return True  # <- port-found-then-released


def first_free(start=20000):
    return next(port for port in range(start, start + 500) if is_free(port))  # <- port-found-then-released


def run(rank, port):
    dist.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    dist.barrier()
    dist.destroy_process_group()


def test_run():
    mp.spawn(run, args=(first_free(),), nprocs=2)
