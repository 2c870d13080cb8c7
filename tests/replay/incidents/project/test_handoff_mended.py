"""The mended twin of `test_handoff_weak.py`: its message names the rank and the cause within seconds.

Family: faults of ours, one rank made to fail.
Expected grade: A, whatever is done to a rank at whatever place.
"""

import datetime as dt
import os
import queue
import signal
import socket
import time
import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

PEER_S, ALL_S, GRACE_S, POLL_S = 3.0, 20.0, 0.5, 0.05


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _hand_off(rank: int, port: int, reports: queue.Queue[tuple[int, str | None]]) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    try:
        dist.init_process_group("gloo", rank=rank, world_size=2, timeout=dt.timedelta(seconds=PEER_S))
        shard = torch.full((16,), float(rank + 1))
        for _ in range(3):
            dist.all_reduce(shard)
    except BaseException:
        reports.put((rank, traceback.format_exc()))
        raise
    else:
        reports.put((rank, None))
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def _ended(code: int) -> str:
    return f"died of {signal.Signals(-code).name}" if code < 0 else f"exited with code {code}"


def _told(processes: list[mp.Process], reports: queue.Queue[tuple[int, str | None]]) -> dict[int, str | None]:
    """One report of each rank; of one that died without a report, or did not report, that instead.

    A rank that waits for another in vain reports that after PEER_S: the one without a report is the late one.
    """
    told: dict[int, str | None] = {}
    deadline = time.monotonic() + ALL_S
    while len(told) < len(processes) and time.monotonic() < deadline:
        try:
            rank, report = reports.get(timeout=POLL_S)
            told[rank] = report
        except queue.Empty:
            codes = [process.exitcode for process in processes]
            dead = {rank: _ended(code) for rank, code in enumerate(codes) if code and rank not in told}
            if dead:
                return told | dead
        if any(told.values()):  # the others wait for it in vain
            deadline = min(deadline, time.monotonic() + GRACE_S)
    silent = dict.fromkeys(range(len(processes)), "did not report, and is still running")
    return silent | told


def test_handoff_is_exact() -> None:
    context = mp.get_context("fork")
    reports, port = context.Queue(), _free_port()
    processes = [context.Process(target=_hand_off, args=(rank, port, reports)) for rank in range(2)]
    try:
        for process in processes:
            process.start()
        told = _told(processes, reports)
        wrong = {rank: report for rank, report in told.items() if report}
        assert not wrong, "\n".join(f"rank {rank}: {report}" for rank, report in sorted(wrong.items()))
        for rank, process in enumerate(processes):
            process.join(timeout=ALL_S)
            assert process.exitcode is not None, f"rank {rank} reported, and did not exit within {ALL_S} s"
            assert process.exitcode == 0, f"rank {rank} reported, then {_ended(process.exitcode)}"
    finally:
        for process in processes:
            process.kill()
            process.join()
