"""Good: one server process answers each request, so a get after each put reads everything.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, port-found-then-released, rank-0-only-report
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import multiprocessing


def serve(requests, answers):
    for request in iter(requests.get, None):
        answers.put(request[::-1])


def test_server():
    requests = multiprocessing.Queue()
    answers = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(requests, answers))
    server.start()
    requests.put("abc")
    assert answers.get(timeout=5) == "cba"
    requests.put("xyz")
    assert answers.get(timeout=5) == "zyx"
    requests.put(None)
    server.join()
