"""Bad: IPv6 and a named constant for 0: found, detached from its socket, and used.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import socket

import pytest
import torch.distributed as dist

ANY_PORT = 0


@pytest.fixture
def port():
    with socket.socket(socket.AF_INET6) as s:
        s.bind(("::1", ANY_PORT))  # <- port-found-then-released
        found = s.getsockname()[1]  # <- port-found-then-released
    return found  # <- port-found-then-released


def test_store_at_port(port):
    store = dist.TCPStore("::1", port, world_size=1, is_master=True)
    store.set("key", "value")
    assert store.get("key") == b"value"
