"""Good: the collecting helper is handed the processes and looks at them on every Empty.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing
import queue as queue_module
import traceback


def collect(queue, processes, timeout=100):
    reports = []
    turns = int(timeout / 0.5)
    while len(reports) < len(processes) and turns:
        try:
            reports.append(queue.get(timeout=0.5))
        except queue_module.Empty:
            turns -= 1
            crashed = [p for p in processes if not p.is_alive() and p.exitcode]
            if crashed:
                names = ", ".join(f"{p.name} ({p.exitcode})" for p in crashed)
                raise RuntimeError(f"ended without a report: {names}") from None
    return reports


def target(index, queue):
    try:
        queue.put({"index": index, "total": sum(range(index))})
    except Exception:
        queue.put({"index": index, "error": traceback.format_exc()})


def test_totals():
    ctx = multiprocessing.get_context("spawn")
    queue = ctx.Queue()
    children = [ctx.Process(target=target, args=(i, queue)) for i in range(2)]
    for child in children:
        child.start()
    reports = collect(queue, children)
    assert [r.get("total") for r in sorted(reports, key=lambda r: r["index"])] == [0, 0], reports
