"""Bad: the parent waits two minutes for an Event that a dead child will not set.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, terminate-counts-as-crash
"""

import multiprocessing as mp


def serve(ready, stop):
    table = {n: n * n for n in range(100)}
    ready.set()
    stop.wait()
    assert table


def test_server_gets_ready():
    ready, stop = mp.Event(), mp.Event()
    server = mp.Process(target=serve, args=(ready, stop), daemon=True)
    server.start()
    assert ready.wait(timeout=120)  # <- no-early-exit-check
    stop.set()
    server.join(10)
