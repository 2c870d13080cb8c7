"""Two workers publish their figures at one fixed port.

Family: port-in-use by spawn, without torch.
Expected verdict: deterministic.
Expected cause: port-in-use: a worker could not bind (EADDRINUSE) in _publish.
Must not say: a rank, a timeout, a crash.
"""

import multiprocessing
import socket


def _publish(port: int, ready: multiprocessing.Barrier) -> None:
    with socket.create_server(("127.0.0.1", port)):
        ready.wait(timeout=2)


def test_workers_publish() -> None:
    context = multiprocessing.get_context("spawn")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ready = context.Barrier(2)
    workers = [context.Process(target=_publish, args=(port, ready)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=20)
    assert [worker.exitcode for worker in workers] == [0, 0]
