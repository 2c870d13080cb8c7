"""The web process: the application under uvicorn, on a socket that may be handed in.

`python -m worker.web FD` is how `serve` starts it: past the command line, whose imports it need not carry.
"""

import socket
import sys

import uvicorn

from app import logs
from app.settings import Settings


def run(settings: Settings, *, listener: int | None = None) -> None:
    """Serve until SIGTERM or SIGINT. `listener` is a socket that listens already, by its descriptor."""
    logs.configure()
    server = uvicorn.Server(
        uvicorn.Config(
            "app.main:create_from_environment",
            factory=True,
            host=settings.host,
            port=settings.port,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=5,
        )
    )
    try:
        server.run(sockets=None if listener is None else [socket.socket(fileno=listener)])
    except KeyboardInterrupt:
        return  # the server has ended in good order and hands the signal on


if __name__ == "__main__":
    run(Settings(), listener=int(sys.argv[1]))
