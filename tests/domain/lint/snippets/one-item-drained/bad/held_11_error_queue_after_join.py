"""Bad: both ranks may have put an error, but a single get_nowait after the join shows one.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import traceback


def body(rank, world, failures):
    try:
        dist.init_process_group("gloo", "tcp://127.0.0.1:29777", rank=rank, world_size=world)
        dist.barrier()
        failures.put((rank, "ok"))
    except Exception:
        failures.put((rank, traceback.format_exc()))


def test_barrier():
    context = mp.get_context("spawn")
    failures = context.Manager().Queue()
    ranks = [context.Process(target=body, args=(i, 2, failures)) for i in range(2)]
    [r.start() for r in ranks]
    [r.join() for r in ranks]
    rank, text = failures.get_nowait()  # <- one-item-drained
    assert text == "ok", f"rank {rank}: {text}"
