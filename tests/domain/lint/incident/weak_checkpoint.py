"""The shape of the incident: "assert False" and nothing else, in a test and two sisters of it."""

import os
import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

WORLD_SIZE = 2


def _join(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=WORLD_SIZE)


def _save_and_load(rank, port, folder, result_queue):
    _join(rank, port)
    try:
        state = torch.full((8,), float(rank))
        dist.all_reduce(state)
        if rank == 0:
            result_queue.put({"rank": 0, "sum": float(state.sum())})
        dist.barrier()
    except BaseException:
        result_queue.put({"rank": rank, "traceback": traceback.format_exc()})
        raise
    finally:
        dist.destroy_process_group()


def _run(worker, port, folder):
    context = mp.get_context("spawn")
    result_queue = context.Queue()
    processes = [
        context.Process(target=worker, args=(rank, port, folder, result_queue)) for rank in range(WORLD_SIZE)
    ]
    for process in processes:
        process.start()
    rank_checks = result_queue.get(timeout=180)
    for process in processes:
        process.join(timeout=60)
        if process.is_alive():
            process.terminate()
            process.join()
    assert rank_checks is not None, "checkpoint workers timed out"
    assert all(process.exitcode == 0 for process in processes)
    assert "traceback" not in rank_checks, rank_checks["traceback"]
    return rank_checks


def test_full_state_is_exact(tmp_path, free_port):
    assert _run(_save_and_load, free_port, tmp_path)["sum"] == 8.0


def test_sharded_state_is_exact(tmp_path, free_port):
    assert _run(_save_and_load, free_port, tmp_path)["sum"] == 8.0


class TestHandOff:
    def test_to_the_same_topology(self, tmp_path, free_port):
        assert _run(_save_and_load, free_port, tmp_path)["rank"] == 0


def test_of_one_process():
    assert WORLD_SIZE > 1
