"""Good: the socket that was bound to 0 is the one that listens and accepts.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import socket
import threading


def echo_once(listener):
    connection, _ = listener.accept()
    with connection:
        connection.sendall(connection.recv(64))


def test_echo():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        port = listener.getsockname()[1]
        thread = threading.Thread(target=echo_once, args=(listener,))
        thread.start()
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(b"ping")
            assert client.recv(64) == b"ping"
        thread.join()
