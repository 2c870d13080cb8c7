"""Bad: two seconds of sleep stand for "the server process listens by now".

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier, init-outside-try
# clean: no-early-exit-check, one-item-drained, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import http.client
import multiprocessing
import time
from http.server import HTTPServer, SimpleHTTPRequestHandler


def serve(port):
    HTTPServer(("127.0.0.1", port), SimpleHTTPRequestHandler).handle_request()


def test_server_answers():
    process = multiprocessing.Process(target=serve, args=(18721,))
    process.start()
    time.sleep(2)  # <- fixed-sleep-as-synchronisation
    connection = http.client.HTTPConnection("127.0.0.1", 18721)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    process.join()
