"""Bad: the backend's group is set up unguarded, and only the computation stands in the try.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: no-early-exit-check, port-found-then-released, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import traceback

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(idx, backend, ranks, shared):
    if backend == "gloo":
        dist.init_process_group(  # <- init-outside-try
            "gloo", "tcp://127.0.0.1:40123", rank=idx, world_size=ranks
        )
    else:
        dist.init_process_group("mpi")  # <- init-outside-try
    try:
        xs = [torch.zeros(2) for _ in range(ranks)]
        dist.all_gather(xs, torch.full((2,), float(idx)))
        shared[idx] = ("ok", torch.stack(xs).sum().item())
    except Exception as e:
        shared[idx] = ("error", "".join(traceback.format_exception(e)))
    dist.barrier()
    dist.destroy_process_group()


@pytest.mark.parametrize("backend", ["gloo"])
@pytest.mark.parametrize("ranks", [2, 3])
def test_all_gather(backend, ranks):
    shared = mp.Manager().dict()
    workers = [mp.Process(target=worker, args=(i, backend, ranks, shared)) for i in range(ranks)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    for idx in range(ranks):
        kind, value = shared[idx]
        assert kind == "ok", f"rank {idx}: {value}"
