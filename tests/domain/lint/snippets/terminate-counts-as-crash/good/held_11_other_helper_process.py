"""Good: the process that is terminated is a background server, not one whose exit code is asserted.

# clean: collective-under-rank-condition, exit-without-barrier, fixed-sleep-as-synchronisation
# clean: init-outside-try, port-found-then-released, rank-local-raise-before-collective
"""

import multiprocessing as mp


def serve(inbox):
    while True:
        inbox.get()


def client(i, inbox):
    inbox.put(i)


def test_clients():
    ctx = mp.get_context("spawn")
    inbox = ctx.SimpleQueue()
    server = ctx.Process(target=serve, args=(inbox,), daemon=True)
    server.start()
    clients = [ctx.Process(target=client, args=(i, inbox)) for i in range(3)]
    for c in clients:
        c.start()
    for c in clients:
        c.join()
    server.terminate()
    server.join(timeout=5)
    assert [c.exitcode for c in clients] == [0, 0, 0]
