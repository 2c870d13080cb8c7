"""Ranks that clean up behind themselves, unless they are killed: a helper with a port, shared memory, a file.

Family: faults of ours, one rank made to fail.
Expected: healthy; where rank 1 is killed, its helper, that one's port, its shared memory and its file stay.
"""

import pathlib
import subprocess
import sys
import tempfile

import torch.distributed as dist
import torch.multiprocessing as mp

HELPER = """
import socket, time
held = socket.create_server(("127.0.0.1", 0))
print("here", flush=True)
time.sleep(60)
"""


def _work(rank: int, place: pathlib.Path) -> None:
    helper = subprocess.Popen([sys.executable, "-S", "-c", HELPER], stdout=subprocess.PIPE)
    segment = pathlib.Path("/dev/shm", f"handoff_{rank}")
    scratch = pathlib.Path(tempfile.mkdtemp())
    try:
        helper.stdout.readline()
        segment.write_bytes(bytes(64))
        (scratch / "shard").write_bytes(bytes(64))
        dist.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=2)
        dist.barrier()
        dist.destroy_process_group()
    finally:
        helper.kill()
        helper.communicate()
        segment.unlink()
        (scratch / "shard").unlink()
        scratch.rmdir()


def test_helped_ranks_meet(tmp_path: pathlib.Path) -> None:
    ranks = [
        mp.get_context("fork").Process(target=_work, args=(rank, tmp_path / "meet")) for rank in range(2)
    ]
    for one in ranks:
        one.start()
    for one in ranks:
        one.join(20)
    assert [one.exitcode for one in ranks] == [0, 0]
