"""Good: an f-string with number and code for each worker.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, no-early-exit-check, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

from multiprocessing import get_context


def work(i, n):
    print(f"{i} of {n}")


def run(n):
    ctx = get_context("spawn")
    workers = []
    for i in range(n):
        w = ctx.Process(target=work, args=(i, n))
        w.start()
        workers.append(w)
    for i, w in enumerate(workers):
        w.join()
        assert w.exitcode == 0, f"worker {i} failed with {w.exitcode}"


def test_two():
    run(2)


def test_four():
    run(4)
