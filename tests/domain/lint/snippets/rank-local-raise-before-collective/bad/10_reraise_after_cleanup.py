"""Bad: the except cleans the local cache up and raises again; the peers are not told.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import torch
import torch.distributed as dist


class Cache:
    def __init__(self, limit):
        self.limit, self.rows = limit, []

    def add(self, rows):
        if len(self.rows) + len(rows) > self.limit:
            raise MemoryError(f"over {self.limit} rows")  # <- rank-local-raise-before-collective
        self.rows += rows


def exchange(cache, rows):
    counts = torch.tensor([len(rows)])
    dist.all_reduce(counts)
    try:
        cache.add(rows)  # <- rank-local-raise-before-collective
    except MemoryError:
        cache.rows.clear()
        raise  # <- rank-local-raise-before-collective
    held = torch.tensor([len(cache.rows)])
    dist.all_reduce(held, op=dist.ReduceOp.MAX)
    return counts.item(), held.item()


def test_exchange(tmp_path):
    dist.init_process_group("gloo", f"file://{tmp_path}/c", rank=0, world_size=1)
    assert exchange(Cache(10), [1, 2, 3]) == (3, 3)
    dist.destroy_process_group()
