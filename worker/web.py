"""The web process: the application under uvicorn, on a socket that is handed in.

`python -m worker.web FD` is how `serve` starts it: past the command line, whose imports it need not carry.
"""

import signal
import socket
import sys

import uvicorn

from app import logs
from app.settings import Settings
from worker import trouble
from worker.late_requests import PromptProtocol

MOST_CONNECTIONS = 256
"""What comes beyond is answered 503 at once: each connection may have 64 KB of a body waiting to be read."""

HEADER_BYTES = 16 * 1024


def run(settings: Settings, listener: socket.socket) -> None:
    """Serve on a socket that listens already, until SIGTERM or SIGINT; to be called in the main thread.

    Raises WrongSettings if strangers could deliver.
    """
    settings.refuse_open_door()
    logs.configure()
    # When it has ended in good order, the server hands the signal on to whoever listened for it before.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    server = uvicorn.Server(
        uvicorn.Config(
            "app.main:create_from_environment",
            factory=True,
            log_config=None,
            access_log=False,
            server_header=False,
            http=PromptProtocol,
            limit_concurrency=MOST_CONNECTIONS,
            h11_max_incomplete_event_size=HEADER_BYTES,
            timeout_graceful_shutdown=5,
        )
    )
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        return  # the server has ended in good order and hands the signal on


if __name__ == "__main__":
    try:
        run(Settings(), socket.socket(fileno=int(sys.argv[1])))
    except trouble.Expected as error:
        sys.exit(trouble.tell(error))
