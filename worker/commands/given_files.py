"""The files that a command is given to read: by name, in folders, in zip archives, or on standard input."""

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from app.domain.artifact import UnpackBudget
from app.domain.errors import Rejected
from worker.commands.file_names import absolute
from worker.commands.given_folders import Found, look_through
from worker.commands.given_names import is_never_read, is_promising
from worker.commands.no_file import system_words, why_no_file
from worker.fetching.unpack import open_artifact

STDIN: Final = "-"
IN_ARCHIVE: Final = "!"
"""Between an archive and its member, as in `results.zip!junit.xml`."""

_CHUNK: Final = 1024 * 1024
_IN_MEMORY: Final = 16 * 1024 * 1024
"""A member longer than that is unpacked into a temporary file."""
_ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")

Watch = Callable[[int], None]
"""Told how many bytes more have been read."""


@dataclass(frozen=True, slots=True)
class Given:
    """One file. `stream` stands at its start, can be rewound, and is closed once the next file is asked for.

    `name` is hostile text: the path as it was given, or as found below the folder that was given,
    `archive!member`, or `-`. `is_meant`: a person named it, or its own name promises results or a log; of
    any other file it is no news that it holds neither.
    """

    name: str
    stream: BinaryIO
    size: int
    is_meant: bool


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file, folder, archive or member that gave nothing, and why, as a fragment."""

    name: str
    reason: str


def given_files(names: Sequence[str], watch: Watch) -> Iterator[Given | Unreadable]:
    """Open the files one after the other, each once; what cannot be read costs nothing of the others.

    Reading a stream may raise OSError, and Rejected where an archive is not what it says it is. Whoever reads
    has to expect both.
    """
    seen: set[str] = set()
    for name in names:
        if name == STDIN:
            found: Iterator[Found | Unreadable] = iter([Found(STDIN, None, is_meant=True)])
        elif os.path.isdir(name):  # noqa: PTH112 - a path with a NUL in it is no folder, and no error
            found = (one if isinstance(one, Found) else Unreadable(*one) for one in look_through(Path(name)))
        else:
            found = iter([Found(name, Path(name), is_meant=True)])
        for one in found:
            key = one.name if isinstance(one, Unreadable) or one.path is None else absolute(one.path)
            if key not in seen:
                seen.add(key)
                yield from [one] if isinstance(one, Unreadable) else _opened(one, watch)


def _opened(found: Found, watch: Watch) -> Iterator[Given | Unreadable]:
    try:
        if found.path is None:
            yield from _standard_input(watch)
            return
        reason = why_no_file(found.path)
        if reason:
            yield Unreadable(found.name, reason)
            return
        with found.path.open("rb", buffering=0) as raw:
            yield from _content(found.name, raw, found.path, watch, is_meant=found.is_meant)
    except OSError as error:
        yield Unreadable(found.name, system_words(error))


def _standard_input(watch: Watch) -> Iterator[Given | Unreadable]:
    """Kept in a temporary file: what it is shows only further on, and then it is read from its start."""
    with tempfile.NamedTemporaryFile("w+b", buffering=0) as kept:
        while piece := sys.stdin.buffer.read(_CHUNK):
            kept.write(piece)
        path = Path(kept.name)
        with path.open("rb", buffering=0) as raw:
            yield from _content(STDIN, raw, path, watch, is_meant=True)


def _content(
    name: str, raw: io.FileIO, path: Path, watch: Watch, *, is_meant: bool
) -> Iterator[Given | Unreadable]:
    size = os.fstat(raw.fileno()).st_size
    stream = io.BufferedReader(_Watched(raw, watch), _CHUNK)
    if is_meant and stream.peek(4).startswith(_ZIP_STARTS):
        yield from _members(path, name, watch)
    else:
        yield Given(name, stream, size, is_meant)


def _members(path: Path, name: str, watch: Watch) -> Iterator[Given | Unreadable]:
    """Within the bounds of an artifact; a member that is not what it says costs only what follows it."""
    count = 0
    try:
        for member in open_artifact(
            path, UnpackBudget(), fallback_name=name, wanted=lambda one: not is_never_read(one), nested=True
        ):
            count += 1
            if member.refused is not None:
                yield Unreadable(f"{name}{IN_ARCHIVE}{member.name}", member.refused)
                continue
            yield from _member(f"{name}{IN_ARCHIVE}{member.name}", member.stream, watch)
        if not count:
            yield Unreadable(name, "an archive without any file that could hold results or a log")
    except Rejected as refused:
        inside = "" if refused.subject == name else f"{refused.subject}: "
        yield Unreadable(name, f"{inside}{refused.reason}")


def _member(name: str, packed: BinaryIO, watch: Watch) -> Iterator[Given | Unreadable]:
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as kept:
        size = 0
        try:
            while piece := packed.read(_CHUNK):
                size += kept.write(piece)
                watch(len(piece))
        except Rejected as refused:
            yield Unreadable(name, refused.reason)
            return
        kept.seek(0)
        yield Given(name, kept, size, is_promising(name))  # type: ignore[arg-type]  # it has all of a BinaryIO


class _Watched(io.RawIOBase):
    """A file that tells how much of it has been read."""

    def __init__(self, raw: io.FileIO, watch: Watch) -> None:
        super().__init__()
        self._raw, self._watch = raw, watch

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        return self._raw.seek(offset, whence)

    def tell(self) -> int:
        return self._raw.tell()

    def readinto(self, buffer: "bytearray | memoryview[int]") -> int:  # type: ignore[override]  # its type is private
        count = self._raw.readinto(buffer) or 0
        self._watch(count)
        return count
