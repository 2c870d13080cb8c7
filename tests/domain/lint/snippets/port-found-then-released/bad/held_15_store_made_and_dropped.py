"""Bad: the listening socket is closed a line before the store of rank 0 wants the same number.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import socket
import threading

import torch.distributed as dist


def test_server_and_client_store():
    with socket.socket() as sock:
        sock.bind(("localhost", 0))  # <- port-found-then-released
        sock.listen()
        port = sock.getsockname()[1]  # <- port-found-then-released

    answers = []

    def client():
        store = dist.TCPStore("localhost", port, 2, is_master=False)
        answers.append(store.get("greeting"))

    thread = threading.Thread(target=client)
    thread.start()
    server = dist.TCPStore("localhost", port, 2, is_master=True)  # <- port-found-then-released
    server.set("greeting", "hello")
    thread.join()
    assert answers == [b"hello"]
