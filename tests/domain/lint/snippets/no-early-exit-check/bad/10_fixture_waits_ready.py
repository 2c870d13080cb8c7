"""Bad: the fixture waits for the address that the server puts, for as long as it takes.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, port-found-then-released
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
"""

import multiprocessing
import http.server

import pytest


def _serve(addresses):
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    addresses.put(server.server_address)
    server.serve_forever()


@pytest.fixture(scope="module")
def address():
    addresses = multiprocessing.Queue()
    server = multiprocessing.Process(target=_serve, args=(addresses,), daemon=True)
    server.start()
    yield addresses.get(timeout=60)  # <- no-early-exit-check
    server.terminate()
    server.join()


def test_address(address):
    host, port = address
    assert host == "127.0.0.1"
    assert port > 0
