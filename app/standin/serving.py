"""Real HTTP on loopback for the stand-in: one thread, any number of origins, and faults in between."""

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

import uvicorn

from app.standin.exchange import Answer
from app.standin.faults import Break, Fault, Faults

Message = MutableMapping[str, Any]
"""ASGI's own form of a request, and of each piece of it and of its answer."""

Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

HOST = "127.0.0.1"

Reply = Callable[[str, str, str, Mapping[str, str], bytes], Answer]
"""(method, raw path, query, headers by lower-case name, body) -> answer."""


class Origin:
    """An ASGI application that lets `reply` answer, unless a fault is queued for the path."""

    def __init__(self, reply: Reply, faults: Faults, requests: list[str]) -> None:
        self._reply = reply
        self._faults = faults
        self._requests = requests

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        method, path = str(scope["method"]), bytes(scope["raw_path"]).decode("ascii")
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        body = await _read(receive)
        self._requests.append(f"{method} {path}")
        fault = self._faults.take(method, path) or Fault()
        await asyncio.sleep(fault.delay_s)
        if fault.breaks is Break.BEFORE:
            await _send_part(send, Answer(200))
        elif fault.status is not None:
            await _send(send, Answer(fault.status, headers=fault.headers, raw=fault.body))
        else:
            answer = self._reply(method, path, bytes(scope["query_string"]).decode("ascii"), headers, body)
            await asyncio.sleep(fault.answer_delay_s)
            await (_send_part if fault.breaks is Break.AFTER else _send)(send, answer)


async def _read(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)


async def _send(send: Send, answer: Answer) -> None:
    body = _bytes(answer)
    await _start(send, answer, len(body))
    await send({"type": "http.response.body", "body": body})


async def _send_part(send: Send, answer: Answer) -> None:
    """Half an answer; the server closes a connection whose answer was begun and not ended."""
    body = _bytes(answer)
    await _start(send, answer, len(body) + 1)
    await send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})


async def _start(send: Send, answer: Answer, length: int) -> None:
    headers = {"content-type": "application/json; charset=utf-8", **answer.headers}
    if answer.status not in {204, 304}:
        headers["content-length"] = str(length)
    named = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": named})


def _bytes(answer: Answer) -> bytes:
    return answer.raw if answer.body is None else json.dumps(answer.body).encode()


@contextmanager
def listening() -> Iterator[socket.socket]:
    """A socket on a free port of loopback; connections wait in its backlog until it is served.

    The protocol is named because asyncio sets TCP_NODELAY only then; without it each answer takes 40 ms.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, 0))
        listener.listen(128)
        yield listener


def url_of(listener: socket.socket) -> str:
    return f"http://{HOST}:{listener.getsockname()[1]}"


@contextmanager
def serving(*origins: tuple[socket.socket, Origin]) -> Iterator[None]:
    """Serve all origins from one thread until the block ends."""
    servers = [(listener, uvicorn.Server(_config(origin))) for listener, origin in origins]

    async def serve_all() -> None:
        await asyncio.gather(*(server.serve(sockets=[listener]) for listener, server in servers))

    thread = threading.Thread(target=asyncio.run, args=(serve_all(),), name="stand-in", daemon=True)
    thread.start()
    try:
        yield
    finally:
        for _, server in servers:
            server.should_exit = True
        thread.join()


def _config(origin: Origin) -> uvicorn.Config:
    return uvicorn.Config(
        origin,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        date_header=False,  # answers tell the time of the stand-in's own clock
        timeout_graceful_shutdown=1,
    )
