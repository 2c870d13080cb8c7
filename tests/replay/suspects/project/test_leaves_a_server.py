"""A test that passes and leaves a server behind.

Family: findings leaked-process and leaked-port.
Expected verdict: not reproduced.
Expected cause: none; findings name the command that still runs and the port that it listens on.
Must not say: a failure.
"""

import subprocess
import sys

SERVE = """
import socket, time
listening = socket.create_server(("127.0.0.1", 0))
print("up", flush=True)
time.sleep(300)
"""


def test_server_starts() -> None:
    server = subprocess.Popen([sys.executable, "-c", SERVE], stdout=subprocess.PIPE, start_new_session=True)
    assert server.stdout is not None
    assert server.stdout.readline() == b"up\n"
