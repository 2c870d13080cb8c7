"""Bad: all sockets are held at once so that the numbers differ, and then all are released.

# clean: bare-exit-code-assertion, collective-under-rank-condition, fixed-sleep-as-synchronisation
# clean: init-outside-try, rank-local-raise-before-collective, report-asserted-too-late
# clean: terminate-counts-as-crash
"""

import socket
from torch.distributed import TCPStore


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for s in sockets:
            s.bind(("127.0.0.1", 0))  # <- port-found-then-released
        return [s.getsockname()[1] for s in sockets]  # <- port-found-then-released
    finally:
        for s in sockets:
            s.close()  # <- port-found-then-released


def test_two_stores():
    first, second = free_ports(2)  # <- port-found-then-released
    one = TCPStore("127.0.0.1", first, is_master=True)
    two = TCPStore("127.0.0.1", second, is_master=True)
    one.set("k", "1")
    two.set("k", "2")
    assert (one.get("k"), two.get("k")) == (b"1", b"2")
