"""Suspect T06, a failure detector that gives a living peer up.

Family: timing; a heartbeat every 40 ms, and a watcher that waits 200 ms for one.
Expected verdict: passes at 2, 1, 0.5 and 0.25 CPU; fails when rank 0 is paused for more than 200 ms.
Expected cause: rank-exception: rank 1 raised RuntimeError("rank 0 seems dead") in _watch; rank 0 was
alive.
Must not say: rank 0 died, rank 0 raised, a collective differed.
"""

import pathlib
import threading
import time

import torch.distributed as dist
from ranks import burn, exit_codes, join_group


def _beat(path: pathlib.Path, stop: threading.Event) -> None:
    count = 0
    while not stop.wait(0.04):
        count += 1
        path.write_text(str(count))


def _watch(path: pathlib.Path) -> None:
    heard, last = time.monotonic(), ""
    end = heard + 1.2
    while time.monotonic() < end:
        now = path.read_text() if path.exists() else ""
        if now != last:
            heard, last = time.monotonic(), now
        if time.monotonic() - heard > 0.2:
            raise RuntimeError("rank 0 seems dead")
        time.sleep(0.02)


def _worker(rank: int, port: int, path: pathlib.Path) -> None:
    join_group(rank, port)
    dist.barrier()
    stop = threading.Event()
    if rank == 0:
        threading.Thread(target=_beat, args=(path, stop), name="beat", daemon=True).start()
        for _ in range(10):
            burn(0.02)
            time.sleep(0.1)
    else:
        time.sleep(0.1)
        _watch(path)
    stop.set()
    dist.barrier()
    dist.destroy_process_group()


def test_peer_is_alive(tmp_path: pathlib.Path) -> None:
    assert exit_codes(_worker, tmp_path / "beat") == [0, 0]
