"""Good: the rows are parsed before the group exists, so no peer waits in a collective behind it.

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
        raise ValueError(f"no value in {row!r}")
    return name, int(value)


def _merge(rank, n, rows):
    mine = dict(_parse(row) for row in rows)
    c10d.init_process_group("gloo", "tcp://127.0.0.1:29689", rank=rank, world_size=n)
    tables = [None] * n
    c10d.all_gather_object(tables, mine)
    c10d.barrier()
    assert all(table == mine for table in tables)
    c10d.destroy_process_group()


class MergeTest(unittest.TestCase):
    def test_merge(self):
        mp.spawn(_merge, args=(2, ["a:1", "n:2"]), nprocs=2)
