"""Bad: the yield stands behind the with block, so the port is open to anybody during the test.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check, one-item-drained
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import socket
from xmlrpc.client import ServerProxy
from xmlrpc.server import SimpleXMLRPCServer
import threading

import pytest


@pytest.fixture(name="port_number")
def _port_number():
    with socket.socket() as sock:
        sock.bind(("localhost", 0))  # <- port-found-then-released
        sock.listen(1)
        number = sock.getsockname()[1]  # <- port-found-then-released
    yield number  # <- port-found-then-released


def test_rpc(port_number):
    server = SimpleXMLRPCServer(("localhost", port_number), logRequests=False)
    server.register_function(lambda x: x + 1, "increment")
    thread = threading.Thread(target=server.handle_request)
    thread.start()
    assert ServerProxy(f"http://localhost:{port_number}").increment(2) == 3
    thread.join()
    server.server_close()
