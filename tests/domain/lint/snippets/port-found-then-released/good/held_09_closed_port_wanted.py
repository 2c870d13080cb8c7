"""Good: the port is meant to be closed: the test is that connecting is refused.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check, one-item-drained
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import socket

import pytest


def test_connecting_to_a_closed_socket_is_refused():
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    address = sock.getsockname()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=1)
    sock.close()
