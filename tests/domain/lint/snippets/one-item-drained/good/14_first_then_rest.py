"""Good: the first report is read on its own and the others by a loop over range(1, n).

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing
import torch.multiprocessing as mp


def _rank_main(rank, out):
    out.put({"rank": rank, "text": str(rank)})


def test_first_and_rest():
    n = 3
    context = mp.get_context("spawn")
    out = context.Queue()
    children = [context.Process(target=_rank_main, args=(rank, out)) for rank in range(n)]
    for child in children:
        child.start()
    reports = [out.get(timeout=20)]
    for _ in range(1, n):
        reports.append(out.get(timeout=20))
    for child in children:
        child.join()
    assert sorted(report["rank"] for report in reports) == [0, 1, 2]
