"""Good: a class keeps its bound socket as long as its port is in use.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, rank-local-raise-before-collective
# clean: report-asserted-too-late, terminate-counts-as-crash
"""

import socket


class Mailbox:
    def __init__(self):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind(("127.0.0.1", 0))
        self.sock.settimeout(5)

    @property
    def port(self):
        return self.sock.getsockname()[1]

    def read(self):
        return self.sock.recv(1024)

    def close(self):
        self.sock.close()


def test_mailbox():
    mailbox = Mailbox()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"hello", ("127.0.0.1", mailbox.port))
    assert mailbox.read() == b"hello"
    mailbox.close()
