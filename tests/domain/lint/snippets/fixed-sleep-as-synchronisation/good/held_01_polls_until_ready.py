"""Good: the sleep is one turn of a loop that asks for the state and has a deadline.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import http.client
import multiprocessing
import socket
import time
from http.server import HTTPServer, SimpleHTTPRequestHandler


def serve(port):
    HTTPServer(("127.0.0.1", port), SimpleHTTPRequestHandler).handle_request()


def wait_for_port(port, timeout=10):
    deadline = time.monotonic() + timeout
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=1)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def test_server_answers():
    process = multiprocessing.Process(target=serve, args=(18721,))
    process.start()
    connection = http.client.HTTPConnection("127.0.0.1", 18721)
    connection.sock = wait_for_port(18721)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    process.join()
