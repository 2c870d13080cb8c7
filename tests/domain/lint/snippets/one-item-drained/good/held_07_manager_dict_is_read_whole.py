"""Good: reports go into a shared dict that is read as a whole, so none stays unread.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import traceback

import torch.multiprocessing as mp


def _fill(rank, reports):
    try:
        reports[rank] = {"total": sum(range(rank))}
    except Exception:
        reports[rank] = {"error": traceback.format_exc()}


def test_reports():
    manager = mp.Manager()
    reports = manager.dict()
    processes = [mp.Process(target=_fill, args=(rank, reports)) for rank in range(3)]
    for p in processes:
        p.start()
    for p in processes:
        p.join()
    first = reports.get(0)
    assert first == {"total": 0}, dict(reports)
    assert len(reports) == 3 and not any("error" in r for r in reports.values()), dict(reports)
