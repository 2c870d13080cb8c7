"""Deliveries sent at a steady rate whatever becomes of those before: nobody waits for a slow answer.

The requests are made before the first is sent and go over raw sockets, so that sending takes little of the
processor that is measured.
"""

import asyncio
import hashlib
import hmac
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from processes import SECRET

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(slots=True)
class Answers:
    """Seconds from the first byte sent to the last byte of the answer."""

    latencies_s: list[float] = field(default_factory=list)
    refused: int = 0
    """Those that were not answered by 202."""


class Sender:
    """To one web process. Guids are unique within a name, so that none counts as a redelivery."""

    def __init__(self, url: str, bodies: Sequence[bytes], *, name: str) -> None:
        place = urlsplit(url)
        assert place.hostname is not None
        assert place.port is not None
        self._host, self._port = place.hostname, place.port
        self._bodies = [(body, _signature(body)) for body in bodies]
        self._name = name
        self._numbers = itertools.count()
        self._idle: list[Connection] = []

    async def send(self, *, rate: int, seconds: float, into: Answers) -> None:
        requests = [self._request() for _ in range(round(rate * seconds))]
        start_s = time.perf_counter()
        async with asyncio.TaskGroup() as running:
            for number, request in enumerate(requests):
                await asyncio.sleep(max(0.0, start_s + number / rate - time.perf_counter()))
                running.create_task(self._deliver(request, into))
        self._close()  # the other side ends what is idle for long

    async def _deliver(self, request: bytes, into: Answers) -> None:
        reader, writer = connection = await self._connection()
        sent_s = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(_length(head))
        into.latencies_s.append(time.perf_counter() - sent_s)
        into.refused += b" 202 " not in head.partition(b"\r\n")[0]
        self._idle.append(connection)

    async def _connection(self) -> Connection:
        """One that was used before, unless the other side has ended it meanwhile."""
        while self._idle:
            connection = self._idle.pop()
            if not connection[0].at_eof():
                return connection
            connection[1].close()
        return await asyncio.open_connection(self._host, self._port)

    def _request(self) -> bytes:
        number = next(self._numbers)
        body, signature = self._bodies[number % len(self._bodies)]
        head = (
            f"POST /webhooks/github HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            "User-Agent: GitHub-Hookshot/bench\r\nX-GitHub-Event: workflow_run\r\n"
            f"X-GitHub-Delivery: {self._name}-{number:08}\r\nX-Hub-Signature-256: {signature}\r\n\r\n"
        )
        return head.encode() + body

    def _close(self) -> None:
        while self._idle:
            self._idle.pop()[1].close()


def _signature(body: bytes) -> str:
    return "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0
