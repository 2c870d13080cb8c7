"""What goes over pipes between processes: items put, sent and taken, with a digest of the bytes themselves.

Every queue and pipe of multiprocessing ends in two methods of `Connection`, which see the pickled bytes: so
nothing is pickled twice, and a digest is the same on both sides. What an item says is noted where it is put,
in the thread that puts it; a feeder thread sends it later, or never.
"""

from __future__ import annotations

import os

from . import exceptions, forks, imports, items, journal, sites, wrapping

TYPE_CHECKING = False  # typing is dear at start
if TYPE_CHECKING:
    from typing import Any

MOST_MESSAGES = 1000  # noted of one process; from then on only those that report a failure
_FEEDER = "QueueFeederThread"

_numbers: dict[str, int] = {"put": 0, "seen": 0}
_to_feed: dict[str, list[int]] = {}  # channel -> numbers put on a queue that its feeder has not sent yet
_putting: dict[str, int] = {}  # thread -> number of the item that it is sending itself


def begin() -> None:
    imports.after("multiprocessing.connection", _watch_connections)
    imports.after("multiprocessing.queues", _watch_queues)
    forks.after(_forget)


def channel_of(connection: Any) -> str:  # noqa: ANN401 -- a Connection, or what torch wraps one in
    """The pipe's inode, which all processes that hold an end of it see alike."""
    return "pipe:%d" % os.fstat(connection.fileno()).st_ino


def _forget() -> None:
    _to_feed.clear()
    _putting.clear()
    _numbers.update(put=0, seen=0)


def _watch_connections(connection: Any) -> None:  # noqa: ANN401 -- the module
    wrapping.around(connection.Connection, "_send_bytes", _around_send)
    wrapping.around(connection.Connection, "_recv_bytes", _around_receive)
    wrapping.around(connection.Connection, "send", lambda original: _around_put(original, lambda one: one))
    wrapping.around(connection, "Pipe", _around_pipe)


def _watch_queues(queues: Any) -> None:  # noqa: ANN401 -- the module
    wrapping.around(queues.SimpleQueue, "put", lambda original: _around_put(original, _writer_of))
    wrapping.around(queues.Queue, "put", _around_queue_put)
    wrapping.around(queues.JoinableQueue, "put", _around_queue_put)
    wrapping.around(queues.Queue, "_on_queue_feeder_error", _around_feeder_error)


def _writer_of(queue: Any) -> Any:  # noqa: ANN401 -- a queue of any kind
    return queue._writer  # noqa: SLF001 -- has no other name


def _around_pipe(original: wrapping.Function) -> wrapping.Function:
    def Pipe(*args: Any, **named: Any) -> Any:  # noqa: ANN401, N802 -- stands for the function
        __tracebackhide__ = True
        ends = original(*args, **named)
        _note_pipe(ends)
        return ends

    return Pipe


@wrapping.quietly
def _note_pipe(ends: Any) -> None:  # noqa: ANN401 -- two connections
    one, other = channel_of(ends[0]), channel_of(ends[1])
    if one != other:
        journal.note("pipe", channel=one, other=other)


def _around_put(original: wrapping.Function, connection_of: wrapping.Function) -> wrapping.Function:
    """The thread that puts also sends: the number is left for `_send_bytes` to find."""

    def put(self: Any, obj: Any) -> Any:  # noqa: ANN401 -- as the method
        __tracebackhide__ = True
        thread = journal.thread_name()
        if thread in _putting:
            return original(self, obj)
        number = _note_put(connection_of(self), obj)
        if number:
            _putting[thread] = number
        try:
            return original(self, obj)
        finally:
            _putting.pop(thread, None)

    return put


def _around_queue_put(original: wrapping.Function) -> wrapping.Function:
    def put(self: Any, obj: Any, *args: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the method
        __tracebackhide__ = True
        waiting = _enter_feed(self, obj)
        try:
            return original(self, obj, *args, **named)
        except BaseException:
            if waiting:
                waiting.pop()
            raise

    return put


@wrapping.quietly
def _enter_feed(queue: Any, item: Any) -> list[int] | None:  # noqa: ANN401 -- a queue and whatever is sent
    number = _note_put(_writer_of(queue), item) or 0
    waiting = _to_feed.setdefault(channel_of(_writer_of(queue)), [])
    waiting.append(number)
    return waiting


def _around_feeder_error(original: wrapping.Function) -> wrapping.Function:
    """The item could not be pickled, and was dropped: its number must not go to the next one."""

    def _on_queue_feeder_error(error: BaseException, obj: Any) -> Any:  # noqa: ANN401 -- as the method
        exceptions.look()
        for waiting in _to_feed.values():
            if waiting:
                waiting.pop(0)
                break
        return original(error, obj)

    return staticmethod(_on_queue_feeder_error)


@wrapping.quietly
def _note_put(connection: Any, item: Any) -> int:  # noqa: ANN401 -- a connection and whatever is sent
    exceptions.look()
    text, failure, rank = items.told(item)
    if not _is_noted(failure):
        return 0
    _numbers["put"] += 1
    journal.note(
        "put",
        n=_numbers["put"],
        channel=channel_of(connection),
        text=text,
        trace=failure,
        rank=rank,
        site=sites.call_site(),
    )
    return _numbers["put"]


def _is_noted(failure: bool) -> bool:  # noqa: FBT001 -- a fact, no switch
    _numbers["seen"] += 1
    return failure or _numbers["seen"] <= MOST_MESSAGES


def _around_send(original: wrapping.Function) -> wrapping.Function:
    def _send_bytes(self: Any, buf: Any) -> Any:  # noqa: ANN401 -- as the method
        __tracebackhide__ = True
        came = original(self, buf)
        _note_sent(self, buf)
        return came

    return _send_bytes


@wrapping.quietly
def _note_sent(connection: Any, content: Any) -> None:  # noqa: ANN401 -- a connection and bytes
    thread = journal.thread_name()
    number = _putting.get(thread, 0)
    channel = channel_of(connection)
    if thread == _FEEDER and _to_feed.get(channel):
        number = _to_feed[channel].pop(0)
    failure = items.reports_failure(content)
    if number or _is_noted(failure):
        journal.note("sent", n=number, channel=channel, digest=items.digest(content), trace=failure)


def _around_receive(original: wrapping.Function) -> wrapping.Function:
    def _recv_bytes(self: Any, *args: Any, **named: Any) -> Any:  # noqa: ANN401 -- as the method
        __tracebackhide__ = True
        came = original(self, *args, **named)
        _note_received(self, came)
        return came

    return _recv_bytes


@wrapping.quietly
def _note_received(connection: Any, came: Any) -> None:  # noqa: ANN401 -- a connection and a BytesIO
    content = came.getbuffer()
    failure = items.reports_failure(content)
    if _is_noted(failure):
        journal.note(
            "got",
            channel=channel_of(connection),
            digest=items.digest(content),
            trace=failure,
            site=sites.call_site(),
        )
