"""Bad: init is called in the worker's preamble beside logging, the try begins only afterwards.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, report-asserted-too-late, terminate-counts-as-crash
"""

import logging
import multiprocessing
import traceback

import torch
from torch import distributed as dist


def start(world, body, tmp_path):
    def target(rank, report):
        logging.basicConfig(level="INFO")
        logging.info("rank %d of %d", rank, world)
        dist.init_process_group(  # <- init-outside-try
            "gloo", f"file://{tmp_path}/x", rank=rank, world_size=world
        )
        try:
            report.send(body(rank))
        except Exception:
            report.send(RuntimeError(traceback.format_exc()))
        dist.destroy_process_group()

    fork = multiprocessing.get_context("fork")
    readers = []
    for rank in range(world):
        reader, writer = fork.Pipe(False)
        fork.Process(target=target, args=(rank, writer)).start()
        writer.close()
        readers.append(reader)
    return [reader.recv() for reader in readers]


def test_reduce(tmp_path):
    def body(rank):
        t = torch.tensor([rank])
        dist.all_reduce(t)
        return int(t)

    assert start(2, body, tmp_path) == [1, 1]
