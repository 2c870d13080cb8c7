"""The same file after the mend: every rank reports, the parent reads them all and tells slow from crashed."""

import os
import queue
import time
import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

WORLD_SIZE = 2


def _join(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=WORLD_SIZE)


def _save_and_load(rank, port, folder, result_queue):
    try:
        _join(rank, port)
        state = torch.full((8,), float(rank))
        dist.all_reduce(state)
        dist.barrier()
        result_queue.put({"rank": rank, "sum": float(state.sum())})
    except BaseException:
        result_queue.put({"rank": rank, "traceback": traceback.format_exc()})
        raise
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def _drain(result_queue, processes, timeout_s):
    """One report a rank; a rank that ends early without a report fails the test at once."""
    reports = []
    deadline = time.monotonic() + timeout_s
    while len(reports) < len(processes):
        try:
            reports.append(result_queue.get(timeout=0.5))
        except queue.Empty:
            dead = {process.name: process.exitcode for process in processes if process.exitcode}
            assert not dead, f"ended before they reported: {dead}"
            assert time.monotonic() < deadline, f"only {len(reports)} of {len(processes)} reported"
    return reports


def _finish(processes):
    """Join, and terminate only as a last resort; the slow ones are told apart from the crashed."""
    slow = []
    for process in processes:
        process.join(timeout=60)
        if process.is_alive():
            slow.append(process.name)
            process.terminate()
            process.join()
    assert not slow, f"terminated because slow, not crashed: {slow}"
    codes = {process.name: process.exitcode for process in processes}
    assert set(codes.values()) == {0}, f"crashed, negative for a signal: {codes}"


def _run(worker, port, folder):
    context = mp.get_context("spawn")
    result_queue = context.Queue()
    processes = [
        context.Process(target=worker, args=(rank, port, folder, result_queue)) for rank in range(WORLD_SIZE)
    ]
    for process in processes:
        process.start()
    reports = _drain(result_queue, processes, timeout_s=180)
    failed = [report["traceback"] for report in reports if "traceback" in report]
    assert not failed, "\n".join(failed)
    _finish(processes)
    return min(reports, key=lambda report: report["rank"])


def test_full_state_is_exact(tmp_path, free_port):
    assert _run(_save_and_load, free_port, tmp_path)["sum"] == 8.0


def test_sharded_state_is_exact(tmp_path, free_port):
    assert _run(_save_and_load, free_port, tmp_path)["sum"] == 8.0


class TestHandOff:
    def test_to_the_same_topology(self, tmp_path, free_port):
        assert _run(_save_and_load, free_port, tmp_path)["rank"] == 0


def test_of_one_process():
    assert WORLD_SIZE > 1
