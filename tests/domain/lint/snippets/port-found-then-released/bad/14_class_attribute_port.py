"""Bad: a Cluster object looks up its port when made and starts the processes only when entered.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import socket
from multiprocessing import get_context

import torch
import torch.distributed as dist


def _member(rank, size, port):
    dist.init_process_group("gloo", f"tcp://127.0.0.1:{port}", rank=rank, world_size=size)
    t = torch.ones(1)
    dist.all_reduce(t)
    dist.barrier()
    dist.destroy_process_group()


class Cluster:
    def __init__(self, size):
        self.size = size
        s = socket.socket()
        s.bind(("127.0.0.1", 0))  # <- port-found-then-released
        self.port = s.getsockname()[1]  # <- port-found-then-released
        s.close()  # <- port-found-then-released

    def run(self):
        ctx = get_context("spawn")
        members = [
            ctx.Process(target=_member, args=(rank, self.size, self.port)) for rank in range(self.size)
        ]
        for member in members:
            member.start()
        for member in members:
            member.join()
        return {member.name: member.exitcode for member in members}


def test_cluster():
    assert set(Cluster(2).run().values()) == {0}
