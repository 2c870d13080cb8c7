"""Calls as fixed-size records in a mapped file: one `pack` a call, and what is written survives SIGKILL.

The layout is read again by `worker.replay.reading.calls`. A record holds small numbers only; what they
stand for (operation, shapes, call site, group, thread) a line of the journal declares before the first use.
"""

from __future__ import annotations

import itertools
import mmap
import os
import struct
import threading
import time

from . import exceptions, journal

SUFFIX = ".calls"
MAGIC = b"FTCALLS1"
HEADER = struct.Struct("<8sIIq")  # magic, bytes of a record, 0, how many calls were lost
LOST_AT = 16

# t_in, t_out, waiting since, error's identity, number, group, signature, thread, other rank, flags, mark
RECORD = struct.Struct("<qqqqIIIIiIq")
T_OUT_AT, WAITING_AT, ERROR_AT, FLAGS_AT = 8, 16, 24, 52
MARK = 0x5EA1  # last in the record: where it is missing, the process died within the `pack`
NO_RANK = -1

IS_ASYNC, IS_P2P, IS_STORE, HAS_FAILED = 1, 2, 4, 8

SIZE_BITS = 6  # 64 bytes a record
CHUNK_BITS = 10  # records of one mapping
MOST_CHUNKS = 256  # 16 MiB for one process; what comes after is only counted
CHUNK_BYTES = 1 << (CHUNK_BITS + SIZE_BITS)
_WITHIN = (1 << CHUNK_BITS) - 1
_PAIR = struct.Struct("<q")
_FLAGS = struct.Struct("<I")

assert RECORD.size == 1 << SIZE_BITS


class CallFile:
    """The records of this process. Every method returns quietly where nothing more can be written.

    Blocks are reserved before they are mapped, since a full disk would answer a write into a hole of the
    file by SIGBUS. The file is opened anew for each chunk: a suspect may close descriptors not its own.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._chunks: list[mmap.mmap] = []
        self._next = itertools.count(1)  # the header stands where the first record would; `next` is atomic
        self._growing = threading.RLock()
        self._is_full = False
        first = self._grown(0)
        if first is not None:
            HEADER.pack_into(first, 0, MAGIC, RECORD.size, 0, 0)

    def enter(
        self, t_in: int, number: int, group: int, signature: int, thread: int, other: int, flags: int
    ) -> int:
        """Where the record stands, for what is added to it later; 0 where it was lost."""
        place = next(self._next)
        chunk_number = place >> CHUNK_BITS
        chunks = self._chunks
        chunk = chunks[chunk_number] if chunk_number < len(chunks) else self._grown(chunk_number)
        if chunk is None:
            self._lose()
            return 0
        RECORD.pack_into(
            chunk, (place & _WITHIN) << SIZE_BITS,
            t_in, 0, 0, 0, number, group, signature, thread, other, flags, MARK,
        )  # fmt: skip
        return place

    def leave(self, place: int, t_out: int) -> None:
        if place:
            _PAIR.pack_into(
                self._chunks[place >> CHUNK_BITS], ((place & _WITHIN) << SIZE_BITS) + T_OUT_AT, t_out
            )

    def wait(self, place: int, since: int) -> None:
        if place:
            _PAIR.pack_into(
                self._chunks[place >> CHUNK_BITS], ((place & _WITHIN) << SIZE_BITS) + WAITING_AT, since
            )

    def fail(self, place: int, t_out: int, error: int) -> None:
        """`error` is the identity by which the journal knows the exception, 0 where it knows none."""
        if not place:
            return
        chunk, at = self._chunks[place >> CHUNK_BITS], (place & _WITHIN) << SIZE_BITS
        flags = _FLAGS.unpack_from(chunk, at + FLAGS_AT)[0]
        _FLAGS.pack_into(chunk, at + FLAGS_AT, flags | HAS_FAILED)
        _PAIR.pack_into(chunk, at + ERROR_AT, error)
        _PAIR.pack_into(chunk, at + T_OUT_AT, t_out)

    def _lose(self) -> None:
        if self._chunks:
            first = self._chunks[0]
            _PAIR.pack_into(first, LOST_AT, _PAIR.unpack_from(first, LOST_AT)[0] + 1)

    def _grown(self, chunk_number: int) -> mmap.mmap | None:
        with self._growing:
            while len(self._chunks) <= chunk_number and not self._is_full:
                chunk = self._map(len(self._chunks) * CHUNK_BYTES)
                if chunk is None:
                    self._is_full = True
                else:
                    self._chunks.append(chunk)
            return self._chunks[chunk_number] if chunk_number < len(self._chunks) else None

    def _map(self, start: int) -> mmap.mmap | None:
        if start >= MOST_CHUNKS * CHUNK_BYTES:
            return None
        begin = os.O_CREAT | os.O_TRUNC if start == 0 else 0
        try:
            opened = os.open(self._path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | begin, 0o600)
        except OSError:
            return None
        try:
            os.posix_fallocate(opened, start, CHUNK_BYTES)
            return mmap.mmap(opened, CHUNK_BYTES, mmap.MAP_SHARED, offset=start)
        except (OSError, ValueError):
            return None
        finally:
            os.close(opened)


class _Current:
    """The file of this process, opened at its first call: one of a process, and another in a forked child."""

    file: CallFile | None = None


def current() -> CallFile | None:
    """None in a process that belongs to no trial."""
    return _Current.file or _opened()


def forget() -> None:
    """In a fork child: the parent's file is the parent's."""
    _Current.file = None


def _opened() -> CallFile | None:
    if not journal.is_open():
        return None
    _Current.file = CallFile(journal.path(SUFFIX))
    return _Current.file


def failed(place: int, error: BaseException) -> None:
    """Note the exception with its chain, and in the record that the call ended with it."""
    t_out = time.monotonic_ns()
    file = _Current.file
    if file is not None and place:
        file.fail(place, t_out, noted(error))


def noted(error: BaseException) -> int:
    """The exception's identity in the journal, in which it now stands."""
    return exceptions.note(error, exceptions.HANDLED, is_on_its_way=True) or 0
