"""The file of the story's failing test: it has the weaknesses that hid its cause, and a sister like it."""

PATH = "tests/test_gefen_fsdp2_checkpoint.py"

_ON_MAIN = """\
# The optimizers that the handoff is promised for; others are tested without ranks.
PROMISED = ("adamw", "muon", "muon_normuon")

"""
"""What main has come to have before the first function, so that all lines below it moved."""

_IMPORTS = '''\
"""A checkpoint that is written under one topology is read under the same one, bit for bit."""

import multiprocessing
import queue
import traceback

import pytest
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp

from gefen.checkpoint import handoff, write_sharded
from gefen.optimizers import make_optimizer

'''

TEST = """\
@pytest.mark.parametrize("optimizer_name", ["adamw", "muon", "muon_normuon"])
def test_full_dcp_handoff_is_exact_on_same_dtensor_topology(optimizer_name):
    context = multiprocessing.get_context("spawn")
    result_queue = context.Queue()
    processes = [
        context.Process(target=_handoff_worker, args=(rank, 2, optimizer_name, result_queue))
        for rank in range(2)
    ]
    for process in processes:
        process.start()
    try:
        rank_checks = result_queue.get(timeout=180)
    except queue.Empty:
        rank_checks = None
    for process in processes:
        process.join(timeout=30)
        if process.is_alive():
            process.terminate()
    assert rank_checks is not None, "distributed checkpoint workers timed out"
    assert all(process.exitcode == 0 for process in processes)
"""

_BODY = (
    """\

def _handoff_worker(rank, world_size, optimizer_name, result_queue):
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    try:
        model = torch.nn.Linear(64, 64)
        optimizer = make_optimizer(optimizer_name, model.parameters())
        path = write_sharded(model, optimizer)
        dcp.load(handoff(model, optimizer), checkpoint_id=path)
        if rank == 0:
            result_queue.put({"rank": rank, "exact": True})
    except BaseException:
        result_queue.put({"rank": rank, "traceback": traceback.format_exc()})
        raise
    finally:
        dist.destroy_process_group()


"""
    + TEST
    + """\
    assert rank_checks["exact"]


@pytest.mark.skipif(multiprocessing.cpu_count() < 4, reason="needs 4 ranks")
def test_full_dcp_handoff_rejects_other_world_size():
    context = multiprocessing.get_context("spawn")
    result_queue = context.Queue()
    processes = [
        context.Process(target=_handoff_worker, args=(rank, 4, "adamw", result_queue)) for rank in range(4)
    ]
    for process in processes:
        process.start()
    try:
        rank_checks = result_queue.get(timeout=180)
    except queue.Empty:
        rank_checks = None
    for process in processes:
        process.join(timeout=30)
        if process.is_alive():
            process.terminate()
    assert rank_checks is not None, "distributed checkpoint workers timed out"
    assert all(process.exitcode == 0 for process in processes)


def test_state_dict_keys_are_stable():
    model = torch.nn.Linear(64, 64)
    optimizer = make_optimizer("muon", model.parameters())
    assert sorted(handoff(model, optimizer)) == ["model", "optimizer"]
"""
)


def checkpoint_test(*, on_main: bool) -> str:
    """Main's has a few lines more than that of the story's other branches."""
    return _IMPORTS + (_ON_MAIN if on_main else "") + _BODY


def failing_line(*, on_main: bool) -> int:
    """Where the assertion stands that failed, counted from 1."""
    lines = checkpoint_test(on_main=on_main).splitlines()
    return lines.index(TEST.splitlines()[-1]) + 1
