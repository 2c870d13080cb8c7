"""A connection whose request does not come is closed; one that waits for an answer is not."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from worker.late_requests import PromptProtocol


class Impatient(PromptProtocol):
    late_s = 0.3


async def app(scope: Any, _receive: Any, send: Any) -> None:
    """Answers `/slow` after the bound, and everything without reading a body."""
    if scope["type"] != "http":
        return
    if scope["path"] == "/slow":
        await asyncio.sleep(0.6)
    await send({"type": "http.response.start", "status": 401, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"no"})


@pytest.fixture
def port() -> Iterator[int]:
    server = uvicorn.Server(uvicorn.Config(app, http=Impatient, log_config=None, lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield int(listener.getsockname()[1])
        server.should_exit = True
        thread.join(20)


def told(port: int, sent: bytes) -> bytes:
    """Everything the server says until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=4) as connection:
        connection.sendall(sent)
        return connection.makefile("rb").read()


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_headers_that_do_not_come_are_not_waited_for(port: int, sent: bytes) -> None:
    assert told(port, sent) == b""


def test_a_second_request_that_is_not_finished_is_not_waited_for(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=4) as connection:
        stream = connection.makefile("rb")
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        while stream.readline() != b"\r\n":
            pass
        assert stream.read(2) == b"no"
        connection.sendall(b"GET / HT")
        assert stream.read() == b""


def test_the_rest_of_a_refused_body_is_not_waited_for(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=4) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        stream = connection.makefile("rb")
        assert stream.readline().startswith(b"HTTP/1.1 401")
        connection.sendall(b"a")
        assert stream.read().endswith(b"no")


def test_an_answer_that_takes_longer_than_headers_may_is_waited_for(port: int) -> None:
    said = told(port, b"GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert said.endswith(b"no")
