"""Bad: the helper that initialises the group is called before the try which fills the error list.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import os
import traceback

import torch.distributed as dist
import torch.multiprocessing as mp


def setup(rank, world):
    os.environ.setdefault("MASTER_ADDR", "localhost")
    os.environ.setdefault("MASTER_PORT", "12399")
    dist.init_process_group(backend="gloo", rank=rank, world_size=world)  # <- init-outside-try


def run(rank, world, errors):
    setup(rank, world)  # <- init-outside-try
    try:
        gathered = [None] * world
        dist.all_gather_object(gathered, rank)
        assert gathered == list(range(world))
    except Exception:
        errors[rank] = traceback.format_exc()
    finally:
        dist.destroy_process_group()


def test_gather():
    with mp.Manager() as manager:
        errors = manager.dict()
        procs = [mp.Process(target=run, args=(rank, 3, errors)) for rank in range(3)]
        for proc in procs:
            proc.start()
        for proc in procs:
            proc.join()
        assert not errors, "\n".join(errors.values())
