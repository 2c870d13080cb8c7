"""Good: the number is used only inside the with, by a client of that very socket.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import select
import socket

import pytest


@pytest.fixture
def silent_server():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(1)
        yield sock.getsockname()[1]


def test_a_silent_server_sends_nothing(silent_server):
    with socket.create_connection(("127.0.0.1", silent_server), timeout=2) as client:
        readable, _, _ = select.select([client], [], [], 0.1)
        assert readable == []
