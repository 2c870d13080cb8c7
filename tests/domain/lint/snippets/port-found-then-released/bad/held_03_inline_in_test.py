"""Bad: the test itself looks for a port, closes the socket, and starts a server process on the number.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, one-item-drained, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import http.client
import multiprocessing
import socket
from http.server import HTTPServer, SimpleHTTPRequestHandler


def serve(port, ready):
    server = HTTPServer(("127.0.0.1", port), SimpleHTTPRequestHandler)
    ready.set()
    server.handle_request()


def test_server_answers():
    probe = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    probe.bind(("127.0.0.1", 0))  # <- port-found-then-released
    _, port = probe.getsockname()  # <- port-found-then-released
    probe.close()  # <- port-found-then-released
    ready = multiprocessing.Event()
    process = multiprocessing.Process(target=serve, args=(port, ready))
    process.start()
    assert ready.wait(10)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    process.join()
