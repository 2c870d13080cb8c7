"""Bad: three lines of environment and the rendezvous run unreported; DDP alone is inside the try.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: port-found-then-released, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import os
import traceback
import torch
import torch.distributed as dist
from torch.multiprocessing import get_context
from torch.nn.parallel import DistributedDataParallel as DDP


def train(rank, world_size, errors):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = "29777"
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group(  # <- init-outside-try
        "gloo", rank=rank, world_size=world_size
    )
    try:
        net = DDP(torch.nn.Linear(2, 1))
        net(torch.ones(1, 2)).sum().backward()
    except Exception as error:
        errors.put((rank, type(error).__name__, traceback.format_exc()))
    else:
        errors.put((rank, None, None))
    finally:
        dist.destroy_process_group()


def launch(world_size):
    spawn = get_context("spawn")
    errors = spawn.Queue()
    procs = []
    for rank in range(world_size):
        proc = spawn.Process(target=train, args=(rank, world_size, errors))
        proc.start()
        procs.append(proc)
    return [errors.get(timeout=90) for _ in procs]


def test_ddp_backward():
    for rank, name, text in launch(2):
        assert name is None, f"rank {rank} raised {name}\n{text}"
