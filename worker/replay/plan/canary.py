"""A small healthy test of our own for each limit: where it fails, the limit is void, and so are its trials.

Two processes talk over loopback, with torch's Gloo where the suspect uses torch, with patience for any
limit. A failure means that the ground is unfit (no loopback, no ports, no room to start), not the suspect.
"""

from app.domain.replay_words import Arm, Outcome

FILE = "test_canary.py"
NODE = f"{FILE}::test_canary"

_PLAIN = '''"""Two processes count to a hundred together over loopback."""

import os
import socket


def _echo(port):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as talk:
        while said := talk.recv(1):
            talk.sendall(said)


def test_canary():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen(1)
        door.settimeout(60)
        child = os.fork()
        if child == 0:
            _echo(door.getsockname()[1])
            os._exit(0)
        talk, _ = door.accept()
    talk.settimeout(60)
    with talk:
        for number in range(100):
            talk.sendall(bytes([number]))
            assert talk.recv(1) == bytes([number])
    assert os.waitpid(child, 0)[1] == 0
'''

_TORCH = '''"""Two ranks add up over Gloo."""

import datetime
import multiprocessing

import torch
import torch.distributed as dist


def _rank(rank, address):
    patience = datetime.timedelta(seconds=90)
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=2, timeout=patience)
    for _ in range(5):
        part = torch.ones(4)
        dist.all_reduce(part)
        assert part.tolist() == [2.0] * 4
    dist.barrier()
    dist.destroy_process_group()


def test_canary(tmp_path):
    address = f"file://{tmp_path}/meeting"
    fork = multiprocessing.get_context("fork")
    ranks = [fork.Process(target=_rank, args=(rank, address)) for rank in range(2)]
    for each in ranks:
        each.start()
    for each in ranks:
        each.join(120)
    assert [each.exitcode for each in ranks] == [0, 0]
'''


def canary_source(arm: Arm, *, uses_torch: bool) -> str:
    """The test file. Small under a memory limit, which was measured on the suspect and not on torch."""
    return _TORCH if uses_torch and arm is not Arm.MEMORY else _PLAIN


def is_void(canary: Outcome) -> bool:
    """Only a canary that ran and failed voids a limit; one that could not be run proves nothing."""
    return canary.is_failure
