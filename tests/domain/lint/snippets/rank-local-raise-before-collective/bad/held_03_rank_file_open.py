"""Bad: each rank opens its own shard between two barriers; a missing file stops one rank only.

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
        raise FileNotFoundError(path)  # <- rank-local-raise-before-collective
    return json.loads(path.read_text())


def loader(rank, n, folder):
    dist.init_process_group("gloo", f"file://{folder}/rdzv", rank=rank, world_size=n)
    dist.barrier()
    rows = load_shard(folder, rank)  # <- rank-local-raise-before-collective
    everything = [None] * n
    dist.all_gather_object(everything, rows)
    assert sum(len(part) for part in everything) == n * 2
    dist.destroy_process_group()


def test_loader(tmp_path):
    for rank in range(2):
        (tmp_path / f"shard-{rank}.json").write_text("[1, 2]")
    mp.spawn(loader, args=(2, str(tmp_path)), nprocs=2)
