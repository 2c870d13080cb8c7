"""The third weakness of incident 1: a merely slow worker fails the assertion that a crashed one fails.

Family: join with a deadline, then terminate; one assertion for every exit code.
Expected verdict: deterministic.
Expected cause: terminated-slow: the parent ended rank 1, which was still computing in _write_shard; exit
code -15.
Must not say: a crash, a rank that raised, a timeout of a collective.
"""

import os
import queue
import socket
import time
import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _write_shard(rank: int) -> None:
    end = time.thread_time() + (20 if rank == 1 else 0)
    while time.thread_time() < end:
        pass


def _hand_off(rank: int, port: int, reports: queue.Queue[object]) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=2)
    try:
        dist.all_reduce(torch.ones(16))
        if rank == 0:
            reports.put({"rank": rank, "checks": "ok"})
        _write_shard(rank)
    except BaseException:
        reports.put({"rank": rank, "traceback": traceback.format_exc()})
        raise
    finally:
        dist.destroy_process_group()


def test_handoff_is_exact() -> None:
    context = mp.get_context("fork")
    reports, port = context.Queue(), _free_port()
    processes = [context.Process(target=_hand_off, args=(rank, port, reports)) for rank in range(2)]
    for process in processes:
        process.start()
    rank_checks = reports.get(timeout=180)
    for process in processes:
        process.join(timeout=1)
        if process.is_alive():
            process.terminate()
            process.join()
    assert rank_checks is not None, "handoff workers timed out"
    assert all(process.exitcode == 0 for process in processes)
