"""Good: asyncio binds to 0, and the number is asked of the running server's socket.

# clean: bare-exit-code-assertion, collective-under-rank-condition, exit-without-barrier
# clean: fixed-sleep-as-synchronisation, init-outside-try, no-early-exit-check
# clean: rank-local-raise-before-collective, report-asserted-too-late, terminate-counts-as-crash
"""

import asyncio


async def _echo(reader, writer):
    writer.write(await reader.readline())
    await writer.drain()
    writer.close()


async def _round_trip():
    server = await asyncio.start_server(_echo, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"hello\n")
        return await reader.readline()


def test_echo():
    assert asyncio.run(_round_trip()) == b"hello\n"
