"""Good: the listening socket is passed to the child process, which serves on it.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing
import socket


def serve(listener):
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"ready")


def test_child_serves_on_our_socket():
    ctx = multiprocessing.get_context("fork")
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    child = ctx.Process(target=serve, args=(listener,))
    child.start()
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        assert client.recv(16) == b"ready"
    child.join()
    listener.close()
    assert child.exitcode == 0, f"child ended with {child.exitcode}"
