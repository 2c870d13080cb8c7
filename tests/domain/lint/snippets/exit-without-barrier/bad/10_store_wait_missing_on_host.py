"""Bad: the PrefixStore of rank 0 answers others' counters, but rank 0 stops at its own increment.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import torch.distributed as dist
import torch.multiprocessing as mp


def count(i, n, port):
    base = dist.TCPStore("127.0.0.1", port, n, i == 0)
    store = dist.PrefixStore("count", base)
    total = store.add("arrived", 1)  # <- exit-without-barrier
    if i == 0:
        print("host saw", total)
        return  # <- exit-without-barrier
    store.wait([f"go/{i - 1}"] if i > 1 else ["arrived"])
    store.set(f"go/{i}", "1")


def test_count():
    mp.start_processes(count, args=(3, 29660), nprocs=3, start_method="spawn")
