"""Incident 1's shape where nothing is wrong, with short time limits: a test that could not say why it failed.

Family: faults of ours, one rank made to fail.
Expected grade: E or F for every fault; a raise at init takes the whole time limit of the queue.
"""

import os
import queue
import socket
import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

REPORT_S, JOIN_S = 4, 3


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _hand_off(rank: int, port: int, reports: queue.Queue[object]) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=2)
    try:
        shard = torch.full((16,), float(rank + 1))
        for _ in range(3):
            dist.all_reduce(shard)
        if rank == 0:
            reports.put({"rank": rank, "checks": "ok"})
    except BaseException:
        reports.put({"rank": rank, "traceback": traceback.format_exc()})
        raise
    finally:
        dist.destroy_process_group()


def test_handoff_is_exact() -> None:
    context = mp.get_context("fork")
    reports, port = context.Queue(), _free_port()
    processes = [
        context.Process(target=_hand_off, args=(rank, port, reports), daemon=True) for rank in range(2)
    ]
    for process in processes:
        process.start()
    rank_checks = reports.get(timeout=REPORT_S)
    for process in processes:
        process.join(timeout=JOIN_S)
        if process.is_alive():
            process.terminate()
            process.join()
    assert rank_checks is not None, "handoff workers timed out"
    assert all(process.exitcode == 0 for process in processes)
    assert "traceback" not in rank_checks, rank_checks["traceback"]
