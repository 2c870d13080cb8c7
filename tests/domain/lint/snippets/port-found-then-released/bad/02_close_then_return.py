"""Bad: close() comes before the number is used as MASTER_PORT.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check, one-item-drained
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import socket

import pytest


def get_open_port():
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))  # <- port-found-then-released
    port = sock.getsockname()[1]  # <- port-found-then-released
    sock.close()  # <- port-found-then-released
    return port  # <- port-found-then-released


@pytest.fixture
def rendezvous(monkeypatch):
    port = get_open_port()  # <- port-found-then-released
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    monkeypatch.setenv("MASTER_PORT", str(port))
    return f"tcp://127.0.0.1:{port}"


def test_address(rendezvous):
    assert rendezvous.startswith("tcp://127.0.0.1:")
