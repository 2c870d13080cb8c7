"""Good: the event is waited for in short turns while the server's process is watched.

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
    while not ready.wait(timeout=0.25):
        if not server.is_alive():
            raise AssertionError(f"the server ended with {server.exitcode} before it was ready")
    stop.set()
    server.join(10)
    assert server.exitcode == 0, server.exitcode
