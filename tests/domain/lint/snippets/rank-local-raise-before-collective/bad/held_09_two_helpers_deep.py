"""Bad: the raise is two helpers away, and nothing is agreed on between barrier and gather.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, report-asserted-too-late, terminate-counts-as-crash
"""

import unittest

import torch.distributed as c10d
import torch.multiprocessing as mp


def _parse(row):
    name, _, value = row.partition(":")
    if not value:
        raise ValueError(f"no value in {row!r}")  # <- rank-local-raise-before-collective
    return name, int(value)


def _table(rows):
    return dict(_parse(row) for row in rows)  # <- rank-local-raise-before-collective


def _merge(rank, n):
    c10d.init_process_group("gloo", "tcp://127.0.0.1:29689", rank=rank, world_size=n)
    c10d.barrier()
    mine = _table([f"rank{rank}:{rank}", "n:2"])  # <- rank-local-raise-before-collective
    tables = [None] * n
    c10d.all_gather_object(tables, mine)
    assert len({key for table in tables for key in table}) == n + 1
    c10d.destroy_process_group()


class MergeTest(unittest.TestCase):
    def test_merge(self):
        mp.spawn(_merge, args=(2,), nprocs=2)
