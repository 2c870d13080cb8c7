"""Which exceptions only tell that something else had gone: a versioned table of wordings.

Gloo names neither the operation nor the peer in them, so that they are never the origin by themselves; but
how a wait failed tells whether the peer was still connected. Read from torch 2.13's own libraries and seen
in trials of it; older 2.x wordings are kept beside them.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from worker.replay.facts import Linked, Raised

TABLE_VERSION: Final = 1
"""Raised when a row changes what any stored trial would be called."""

_SCANNED_CHARS: Final = 2_000
_DEEPEST: Final = 16


class Lost(StrEnum):
    """What a consequence says of the peer that it waited for."""

    TIMED_OUT = "timed out"  # the connection stood, nobody came
    CLOSED = "lost its connection"  # the peer, or its side of the group, had gone
    AFTERMATH = "failed after its own time-out"  # the pair was closed by an earlier time-out here
    TERMINATED = "was told that a peer had ended"


@dataclass(frozen=True, slots=True)
class Wording:
    """A row: `since` is the oldest torch that was seen to say so, None for what Python or pytest says."""

    lost: Lost
    pattern: str
    since: str | None
    example: str


TABLE: Final = (
    Wording(
        Lost.AFTERMATH,
        r"application timeout caused pair closure",
        "2.1",
        "[pair.cc:538] Application timeout caused pair closure",
    ),
    Wording(
        Lost.TIMED_OUT,
        r"timed out waiting \d{1,12} ?ms for",
        "2.1",
        "[unbound_buffer.cc:88] Timed out waiting 3000ms for recv operation to complete",
    ),
    Wording(
        Lost.TIMED_OUT,
        r"timed out after \d{1,12} seconds waiting for clients",
        "2.1",
        "Timed out after 3 seconds waiting for clients. 1/2 clients joined.",
    ),
    Wording(
        Lost.TIMED_OUT,
        r"(?:wait|barrier) timeout after \d{1,12} ?ms",
        "2.4",
        "wait timeout after 1000ms, keys: /default_pg/0/ready",
    ),
    Wording(
        Lost.TIMED_OUT,
        r"client socket has timed out after",
        "2.1",
        "The client socket has timed out after 4000ms while trying to connect to (127.0.0.1, 29500).",
    ),
    Wording(
        Lost.TIMED_OUT,
        r"timed out in monitoredbarrier",
        "2.1",
        "Rank 1 timed out in monitoredBarrier after 2000 ms.",
    ),
    Wording(
        Lost.TIMED_OUT,
        r"failed to pass monitoredbarrier in",
        "2.1",
        "[Rank 0]: Rank 1 failed to pass monitoredBarrier in 1000 ms",
    ),
    Wording(Lost.TIMED_OUT, r"(?:^|: )socket timeout", "2.1", "Socket Timeout"),
    Wording(Lost.TIMED_OUT, r"timeout waiting for key", "2.1", "Timeout waiting for key: k after 1000 ms"),
    Wording(
        Lost.TIMED_OUT, r"(?:^|: )(?:connect|read|write|wait) timeout\b", "2.1", "Connect timeout [127.0.0.1]"
    ),
    Wording(
        Lost.TIMED_OUT,
        r"poll for socket .{1,200} returned 0, likely a timeout",
        "2.6",
        "waitForInput: poll for socket SocketImpl(fd=9) returned 0, likely a timeout",
    ),
    Wording(
        Lost.CLOSED,
        r"connection (?:was likely |was )?(?:closed|reset|aborted)",
        "2.1",
        "[pair.cc:553] Connection closed by peer [127.0.0.1]:36000",
    ),
    Wording(
        Lost.CLOSED,
        r"failed to recv, got 0 bytes",
        "2.1",
        "Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or crash?",
    ),
    Wording(Lost.CLOSED, r"broken ?pipe", "2.1", "sendBytes failed on SocketImpl(fd=5): Broken pipe"),
    Wording(
        Lost.CLOSED, r"\b(?:send|recv)(?:bytes|value|vector)\w{0,30} failed on", "2.4", "recvValue failed on"
    ),
    Wording(
        Lost.CLOSED, r"connectfullmesh failed with", "2.1", "Gloo connectFullMesh failed with [pair.cc:553]"
    ),
    Wording(Lost.CLOSED, r"connection refused", "2.1", "Connection refused"),
    Wording(
        Lost.CLOSED,
        r"has failed to connect to|failed to connect/validate to host",
        "2.1",
        "The client socket has failed to connect to any network address of (127.0.0.1, 29500).",
    ),
    Wording(
        Lost.TERMINATED,
        r"process \d{1,10} terminated with (?:signal|exit code)",
        "2.1",
        "process 1 terminated",
    ),
    Wording(Lost.TERMINATED, r"^process \d{1,10} terminated with the following error", "2.1", "-- Process 1"),
    Wording(
        Lost.TERMINATED,
        r"a process in the process pool was terminated abruptly",
        None,
        "A process in the process pool was terminated abruptly while the future was running or pending.",
    ),
)

_ROWS: Final = tuple((row.lost, re.compile(row.pattern, re.IGNORECASE)) for row in TABLE)

_TYPES: Final = {
    "Empty": Lost.TIMED_OUT,
    "TimeoutError": Lost.TIMED_OUT,
    "TimeoutExpired": Lost.TIMED_OUT,
    "BrokenBarrierError": Lost.TIMED_OUT,
    "ConnectionResetError": Lost.CLOSED,
    "ConnectionAbortedError": Lost.CLOSED,
    "ConnectionRefusedError": Lost.CLOSED,
    "BrokenPipeError": Lost.CLOSED,
    "EOFError": Lost.CLOSED,
    "ProcessRaisedException": Lost.TERMINATED,
    "ProcessExitedException": Lost.TERMINATED,
    "ChildFailedError": Lost.TERMINATED,
    "SignalException": Lost.TERMINATED,
    "BrokenProcessPool": Lost.TERMINATED,
    "CalledProcessError": Lost.TERMINATED,
    "KeyboardInterrupt": Lost.TERMINATED,
}
"""By the type's last name, whatever its message: what Python raises when another process did not answer."""


def lost_of(raised: Raised) -> Lost | None:
    """What the exception, or anything behind it, says of a peer; None for an exception of its own.

    An assertion is always of its own, whatever words its values hold.
    """
    if last_name(raised.type) == "AssertionError":
        return None
    own = lost_by_words(raised.type, raised.message)
    return own or _behind(raised.cause, 0) or _behind(raised.context, 0)


def lost_by_words(type_name: str, message: str) -> Lost | None:
    """The first row of the table that the words match."""
    said = message[:_SCANNED_CHARS]
    by_words = next((lost for lost, pattern in _ROWS if pattern.search(said)), None)
    return by_words or _TYPES.get(last_name(type_name))


def last_name(type_name: str) -> str:
    """`DistStoreError` of `torch.distributed.DistStoreError`."""
    return type_name.rpartition(".")[2]


def _behind(link: Linked | None, depth: int) -> Lost | None:
    if link is None or depth > _DEEPEST:
        return None
    own = lost_by_words(link.type, link.message) if last_name(link.type) != "AssertionError" else None
    return own or _behind(link.cause, depth + 1) or _behind(link.context, depth + 1)
