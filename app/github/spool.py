"""Bytes of a download onto disk, never more of them than asked for."""

from io import BufferedRandom
from pathlib import Path
from typing import BinaryIO, Protocol

from app.domain.errors import Rejected

COPY_BYTES = 1024 * 1024


class Spool(Protocol):
    """Takes a download's bytes in order; `cut` says afterwards whether some were dropped."""

    cut: bool

    def write(self, chunk: bytes) -> None: ...

    def finish(self) -> None:
        """Called once, after the last byte; the file at `path` is complete then."""
        ...

    def close(self) -> None: ...


class WholeFile:
    """All or nothing: an archive without its end cannot be opened."""

    def __init__(self, path: Path, *, limit_bytes: int, subject: str) -> None:
        self.cut = False
        self._file = path.open("wb")
        self._left = limit_bytes
        self._refusal = Rejected(subject, f"it is larger than {limit_bytes} bytes")

    def write(self, chunk: bytes) -> None:
        self._left -= len(chunk)
        if self._left < 0:
            raise self._refusal
        self._file.write(chunk)

    def finish(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class HeadAndTail:
    """A log over the limit keeps its first quarter (setup, checkout) and its last three (the failure).

    The tail is a ring inside the file itself, so memory does not grow with the log.
    """

    def __init__(self, path: Path, *, limit_bytes: int) -> None:
        self.cut = False
        self._path = path
        self._file: BufferedRandom = path.open("w+b")
        self._head = limit_bytes // 4
        self._limit = limit_bytes
        self._total = 0

    def write(self, chunk: bytes) -> None:
        rest = memoryview(chunk)
        while rest:
            at, room = self._place()
            self._file.seek(at)
            self._file.write(rest[:room])
            self._total += len(rest[:room])
            rest = rest[room:]

    def _place(self) -> tuple[int, int]:
        """Where the next byte goes, and how many fit there in one piece."""
        if self._total < self._limit:
            return self._total, self._limit - self._total
        at = self._head + (self._total - self._head) % (self._limit - self._head)
        return at, self._limit - at

    def finish(self) -> None:
        dropped = self._total - self._limit
        self._file.flush()
        if dropped <= 0:
            return
        self.cut = True
        oldest, _ = self._place()
        ordered = self._path.with_name(self._path.name + ".ordered")
        with ordered.open("wb") as target:
            self._copy(0, self._head, target)
            target.write(f"\n[{dropped} bytes of this log were left out here]\n".encode())
            self._copy(oldest, self._limit, target)
            self._copy(self._head, oldest, target)
        ordered.replace(self._path)

    def _copy(self, start: int, end: int, target: BinaryIO) -> None:
        self._file.seek(start)
        while start < end:
            chunk = self._file.read(min(COPY_BYTES, end - start))
            target.write(chunk)
            start += len(chunk)

    def close(self) -> None:
        self._file.close()
