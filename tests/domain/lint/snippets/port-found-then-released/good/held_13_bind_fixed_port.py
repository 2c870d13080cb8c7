"""Good: bind to a number that the test has fixed, on the socket that then serves.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check, one-item-drained
# clean: rank-0-only-report, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import socket

import pytest


@pytest.mark.parametrize("backlog", [1, 5])
def test_second_bind_is_refused(backlog):
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        first.listen(backlog)
        taken = first.getsockname()[1]
        with pytest.raises(OSError, match="in use"):
            second.bind(("127.0.0.1", taken))
