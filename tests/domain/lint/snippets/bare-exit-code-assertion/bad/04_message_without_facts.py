"""Bad: the message "a worker failed" holds no fact, and all() hides the rest.

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
    for w in workers:
        w.join()
    assert all(w.exitcode == 0 for w in workers), "a worker failed"  # <- bare-exit-code-assertion


def test_two():
    run(2)


def test_four():
    run(4)
