"""The web process as it runs: a real server, slow and endless bodies, and what it gives away of itself."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from serving import Listening, serve

from app.deps import Wiring
from app.domain.ids import DeliveryId
from app.store import inbox
from app.store.session import read_only

GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
HEADERS = {"Content-Type": "application/json", "X-GitHub-Event": "ping", "X-GitHub-Delivery": GUID}
BOUND = 100_000


@pytest.fixture
def server(make_app: Any) -> Iterator[Listening]:
    yield from serve(make_app(max_delivery_bytes=BOUND))


def stored(server: Listening) -> inbox.StoredDelivery | None:
    wired: Wiring = server.app.state.wiring
    with read_only(wired.inbox) as session:
        return inbox.by_guid(session, DeliveryId(GUID))


def test_a_delivery_of_exactly_the_bound_is_taken(server: Listening) -> None:
    body = json.dumps({"zen": "x" * (BOUND - 11)}).encode()
    assert len(body) == BOUND
    answer = httpx.post(f"{server.address}/webhooks/github", content=body, headers=HEADERS)
    assert answer.status_code == 202
    assert "Server" not in answer.headers
    row = stored(server)
    assert row is not None
    assert len(row.body) == BOUND


def head(*lines: str) -> bytes:
    sent = [
        "POST /webhooks/github HTTP/1.1",
        "Host: 127.0.0.1",
        *(f"{k}: {v}" for k, v in HEADERS.items()),
        *lines,
    ]
    return "\r\n".join([*sent, "", ""]).encode()


def test_a_declared_length_over_the_bound_is_refused_before_any_of_it_is_sent(server: Listening) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(head(f"Content-Length: {BOUND + 1}"))
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"100001 bytes declared, at most 100000 are taken" in answer


def test_an_endless_body_is_refused_at_the_bound_and_cut_off(server: Listening) -> None:
    chunk = b"4000\r\n" + b" " * 0x4000 + b"\r\n"
    sent = 0
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(head("Transfer-Encoding: chunked"))
        try:
            while sent < 100 * BOUND:
                connection.sendall(chunk)
                sent += len(chunk)
            pytest.fail("the server read a hundred times the bound")
        except OSError:
            pass  # it closed the connection while we were still sending
    assert stored(server) is None


def test_a_body_that_does_not_come_is_not_waited_for_without_end(make_app: Any) -> None:
    with contextmanager(serve)(make_app(delivery_timeout_s=0.2)) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
            connection.sendall(head("Content-Length: 100") + b"{")
            answer = connection.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"body: not complete after 0.2 s" in answer
        assert stored(server) is None


def test_what_is_not_signed_is_refused_before_its_body_is_sent(make_app: Any) -> None:
    with contextmanager(serve)(make_app(webhook_secret="0d9ae1a5b7f2")) as server:
        for signature in ((), ("X-Hub-Signature-256: sha256=abc",)):
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
                connection.sendall(head("Content-Length: 24000000", *signature) + b"{")
                status = connection.makefile("rb").readline()
            assert status.startswith(b"HTTP/1.1 401 ")
        wired: Wiring = server.app.state.wiring
        assert wired.intake.held_bytes == 0


def test_a_body_that_breaks_off_leaves_no_row_and_the_server_goes_on(server: Listening) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(head("Content-Length: 100") + b"{")
    answer = httpx.get(f"{server.address}/healthz")
    assert answer.json() == {"status": "alive"}
    assert stored(server) is None
    wired: Wiring = server.app.state.wiring
    assert wired.intake.held_bytes == 0


def test_starting_the_web_loads_neither_engine_nor_worker_nor_science() -> None:
    program = (
        "import sys, app.main; "
        "print(sorted({'dbos', 'torch', 'scipy', 'numpy', 'worker', 'lxml'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
