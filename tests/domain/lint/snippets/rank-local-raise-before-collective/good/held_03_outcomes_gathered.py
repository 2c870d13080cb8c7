"""Good: each rank's rows or error travel in the same all_gather_object, after which all of them look.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import json
import pathlib

import torch.distributed as dist
import torch.multiprocessing as mp


def load_shard(folder, rank):
    path = pathlib.Path(folder) / f"shard-{rank}.json"
    if not path.exists():
        raise FileNotFoundError(path)
    return json.loads(path.read_text())


def loader(rank, n, folder):
    dist.init_process_group("gloo", f"file://{folder}/rdzv", rank=rank, world_size=n)
    dist.barrier()
    try:
        outcome = ("rows", load_shard(folder, rank))
    except Exception as error:
        outcome = ("error", repr(error))
    everything = [None] * n
    dist.all_gather_object(everything, outcome)
    errors = {i: value for i, (kind, value) in enumerate(everything) if kind == "error"}
    if errors:
        raise RuntimeError(f"shards could not be read: {errors}")
    assert sum(len(rows) for _, rows in everything) == n * 2
    dist.destroy_process_group()


def test_loader(tmp_path):
    for rank in range(2):
        (tmp_path / f"shard-{rank}.json").write_text("[1, 2]")
    mp.spawn(loader, args=(2, str(tmp_path)), nprocs=2)
