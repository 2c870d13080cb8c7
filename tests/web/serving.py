"""A real server for the tests that need one: over sockets and in a browser."""

import socket
import threading
from collections.abc import Iterator

import uvicorn
from fastapi import FastAPI


class Listening(uvicorn.Server):
    """Says when it listens, so that nobody has to guess or sleep."""

    def __init__(self, app: FastAPI) -> None:
        super().__init__(uvicorn.Config(app, port=0, log_level="warning", server_header=False))
        self.app = app
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @property
    def port(self) -> int:
        return int(self.servers[0].sockets[0].getsockname()[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def serve(app: FastAPI) -> Iterator[Listening]:
    server = Listening(app)
    thread = threading.Thread(target=server.run)
    thread.start()
    assert server.ready.wait(20)
    yield server
    server.should_exit = True
    thread.join(20)
