"""Bad: a TCPServer on port 0 is made only to learn a number, closed, and the number handed on.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import asyncio
import socketserver


def unused_port():
    server = socketserver.TCPServer(  # <- port-found-then-released
        ("127.0.0.1", 0), socketserver.BaseRequestHandler
    )
    number = server.server_address[1]  # <- port-found-then-released
    server.server_close()  # <- port-found-then-released
    return number  # <- port-found-then-released


async def _echo(reader, writer):
    writer.write(await reader.readline())
    await writer.drain()
    writer.close()


async def _round_trip(port):
    server = await asyncio.start_server(_echo, "127.0.0.1", port)
    async with server:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"hello\n")
        return await reader.readline()


def test_echo():
    assert asyncio.run(_round_trip(unused_port())) == b"hello\n"
