"""Good: a FileStore lives in a file: rank 0 may return early, as nobody needs its process.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch.distributed as dist
import torch.multiprocessing as mp


def count(i, n, path):
    base = dist.FileStore(path, n)
    store = dist.PrefixStore("count", base)
    total = store.add("arrived", 1)
    if i == 0:
        print("first saw", total)
        return
    store.wait(["arrived"])


def test_count(tmp_path):
    mp.start_processes(count, args=(3, str(tmp_path / "store")), nprocs=3, start_method="spawn")
