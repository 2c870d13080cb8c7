"""Good: the bound socket itself goes to the store by master_listen_fd and is never closed in between.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import socket

import torch.distributed as dist


def _listening():
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.bind(("localhost", 0))
    sock.listen()
    return sock


def test_store_takes_over_the_socket():
    sock = _listening()
    port = sock.getsockname()[1]
    store = dist.TCPStore(
        "localhost",
        port,
        world_size=1,
        is_master=True,
        wait_for_workers=False,
        master_listen_fd=sock.detach(),
    )
    store.set("key", "value")
    assert store.get("key") == b"value"
    assert store.port == port
