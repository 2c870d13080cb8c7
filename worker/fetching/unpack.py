"""Members of a downloaded artifact as bounded streams; no name from the archive ever becomes a path."""

import io
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, BinaryIO, Final

from app.domain.artifact import UnpackBudget
from app.domain.errors import Rejected

WITHIN: Final = "!"
"""Between an archive and its member."""
_ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_RATIO_FREE_BYTES: Final = 1024 * 1024
"""Small members may compress as well as they like."""
_HEADER_BYTES: Final = 512
"""Directory bytes allowed per entry; the directory is parsed as a whole, so its size is bounded first."""
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_END: Final = struct.Struct("<4s4H2LH")
_END_SEARCH_BYTES: Final = 65_535 + _END.size
_ZIP64_LOCATOR: Final = b"PK\x06\x07"
_ENCRYPTED: Final = 0x1
_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError),
    *(NotImplementedError, RuntimeError, ValueError),
)
"""What `zipfile` raises where an archive is not as it expects, in its directory, a header or the bytes."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an artifact. `name` is hostile text; `stream` ends or raises Rejected within the budget.

    A file of an archive inside the artifact is called `inner.zip!name`. One inside that is not taken is
    a member of its own, without content, and `refused` says why; so is a second file of one name, since
    nobody can tell which of the two is meant. `archive` names the archive inside, where the file is of one.
    """

    name: str
    stream: BinaryIO
    refused: str | None = None
    archive: str | None = None


def _any(_name: str) -> bool:
    return True


def _none(_name: str) -> bool:
    return False


def _is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def open_artifact(
    path: Path,
    budget: UnpackBudget,
    *,
    fallback_name: str = "artifact",
    wanted: Callable[[str], bool] = _any,
    nested: bool = False,
) -> Iterator[Member]:
    """Yield the wanted members of an archive, or the file itself where the artifact is no archive.

    upload-artifact from v7 on can store one file as it is (`archive: false`); it is then called
    `fallback_name`. One dangerous member refuses the whole artifact: what the directory shows raises Rejected
    here, before anything is yielded; what only reading shows raises from the stream. Read a member before
    asking for the next. A member that is not wanted is not unpacked, so only its kind can be dangerous, not
    its size. `nested`: archives inside the archive are opened as well, one level deep and within the same
    budget; one that is dangerous or damaged refuses itself alone.
    """
    inner = _is_archive if nested else _none
    meter = _Meter(budget)
    entries = _entries(path, meter, fallback_name, lambda name: wanted(name) or inner(name))
    if entries is None:
        meter.packed_total = path.stat().st_size
        return _single_file(path, meter, fallback_name)
    meter.packed_total = sum(entry.compress_size for entry in entries)
    return _members(path, entries, meter, wanted, inner)


def names_in(path: Path, budget: UnpackBudget, *, fallback_name: str = "artifact") -> list[str]:
    """What an archive's members are called, folders left out; of an artifact that is no archive, nothing."""
    names: list[str] = []

    def note(name: str) -> bool:
        names.append(name)
        return False

    _entries(path, _Meter(budget), fallback_name, note)
    return names


def _entries(
    path: Path, meter: "_Meter", fallback_name: str, wanted: Callable[[str], bool]
) -> list[zipfile.ZipInfo] | None:
    """The wanted ones; None where the artifact is no archive."""
    size, budget = path.stat().st_size, meter.budget
    if size > budget.download_bytes:
        raise Rejected(fallback_name, f"{size} bytes, more than {budget.download_bytes}")
    with path.open("rb") as file:
        if not file.read(4).startswith(_ZIP_STARTS):
            return None
        _check_directory_size(file, size, meter, fallback_name)
    return _read_directory(path, meter, fallback_name, wanted)


def _single_file(path: Path, meter: "_Meter", name: str) -> Iterator[Member]:
    with path.open("rb") as file:
        yield Member(name, io.BufferedReader(_Bounded(file, name, meter)))


def _check_directory_size(file: BinaryIO, size: int, meter: "_Meter", name: str) -> None:
    """APPNOTE 4.3.16; zip64 (4.3.15) is only needed past sizes that the budget refuses anyway."""
    file.seek(max(0, size - _END_SEARCH_BYTES - 20))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise Rejected(name, "a damaged archive: its directory is missing")
    _, _, _, _, count, directory_bytes, _, _ = _END.unpack_from(tail, at)
    if tail[max(0, at - 20) : at].startswith(_ZIP64_LOCATOR):
        raise Rejected(name, "a zip64 archive, larger than any we take")
    if count > meter.entries_left or directory_bytes > meter.entries_left * _HEADER_BYTES:
        raise Rejected(name, meter.too_many)


def _read_directory(
    path: Path, meter: "_Meter", name: str, wanted: Callable[[str], bool]
) -> list[zipfile.ZipInfo]:
    budget = meter.budget
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (*_DAMAGE, OSError) as error:
        raise Rejected(name, f"a damaged archive: {error}") from error
    if len(entries) > meter.entries_left:
        raise Rejected(name, meter.too_many)
    meter.entries_left -= len(entries)
    for entry in entries:
        _check_kind(entry)
    entries = [entry for entry in entries if not entry.is_dir() and wanted(entry.filename)]
    entries = [entry for entry in entries if not (_is_archive(entry.filename) and _is_large(entry, budget))]
    for entry in entries:
        _check_size(entry, budget)
    if sum(entry.file_size for entry in entries) > budget.total_bytes:
        raise Rejected(name, f"unpacks to more than {budget.total_bytes} bytes")
    return entries


def _check_kind(entry: zipfile.ZipInfo) -> None:
    reason = _danger_of_name(entry.orig_filename) or _danger_of_kind(entry)
    if reason is not None:
        raise Rejected(entry.orig_filename[:300], reason)


def _is_large(entry: zipfile.ZipInfo, budget: UnpackBudget) -> bool:
    """Too large to be opened, as many an archive of a build is: it is none of results, and left alone."""
    return entry.file_size > budget.entry_bytes


def _check_size(entry: zipfile.ZipInfo, budget: UnpackBudget) -> None:
    if entry.file_size > budget.entry_bytes:
        raise Rejected(entry.orig_filename[:300], f"more than {budget.entry_bytes} bytes")
    if _is_over_ratio(entry.file_size, entry.compress_size, budget):
        raise Rejected(entry.orig_filename[:300], f"unpacks to more than {budget.ratio} times its size")


def _danger_of_name(name: str) -> str | None:
    parts = name.replace("\\", "/").split("/")
    if "\0" in name:
        return "a name with a NUL byte"
    if parts[0] == "" or parts[0][1:2] == ":":
        return "an absolute name"
    return "a name that leaves its folder" if ".." in parts else None


def _danger_of_kind(entry: zipfile.ZipInfo) -> str | None:
    mode = entry.external_attr >> 16
    if entry.flag_bits & _ENCRYPTED:
        return "encrypted"
    if entry.compress_type not in _METHODS:
        return f"compression method {entry.compress_type}, which GitHub does not use"
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "a link or a special file"
    return None


def _members(
    path: Path,
    entries: list[zipfile.ZipInfo],
    meter: "_Meter",
    wanted: Callable[[str], bool],
    inner: Callable[[str], bool],
    place: str = "",
) -> Iterator[Member]:
    """`place` stands before each name."""
    with zipfile.ZipFile(path) as archive:
        for entry in entries:
            try:
                source = archive.open(entry)
            except (*_DAMAGE, OSError) as error:
                raise Rejected(entry.filename, f"a damaged entry: {error}") from error
            with source:
                stream = io.BufferedReader(_Bounded(source, entry.filename, meter))
                if not stream.peek(4).startswith(_ZIP_STARTS):
                    if wanted(entry.filename):
                        yield _named_once(place + entry.filename, stream, meter)
                elif inner(entry.filename):
                    yield from _inner_members(entry.filename, stream, meter, wanted)


def _named_once(name: str, stream: BinaryIO, meter: "_Meter") -> Member:
    """A zip may list a name twice; to take either file would leave out the other in silence."""
    if name in meter.names:
        return Member(name, io.BytesIO(), "a second file of this name")
    meter.names.add(name)
    return Member(name, stream)


def _inner_members(
    name: str, stream: BinaryIO, meter: "_Meter", wanted: Callable[[str], bool]
) -> Iterator[Member]:
    """What is unpacked of it counts for the artifact as a whole: a bomb is one at any depth."""
    with tempfile.NamedTemporaryFile(prefix="flake-triage-inner-") as kept:
        try:
            shutil.copyfileobj(stream, kept)
            kept.flush()
            entries = _entries(Path(kept.name), meter, name, wanted) or []
            for member in _members(Path(kept.name), entries, meter, wanted, _none, f"{name}{WITHIN}"):
                yield replace(member, archive=name)
        except Rejected as error:
            inside = "" if error.subject == name else f"{error.subject}: "
            yield Member(name, io.BytesIO(), f"{inside}{error.reason}")


class _Meter:
    """Counts what an artifact has unpacked to so far, since what its headers claim is not believed.

    Entries are counted across all its archives: thousands of small ones would list millions.
    """

    def __init__(self, budget: UnpackBudget) -> None:
        self.budget = budget
        self.total = 0
        self.packed_total = 0
        self.entries_left = budget.entries
        self.names: set[str] = set()

    @property
    def too_many(self) -> str:
        before = "" if self.entries_left == self.budget.entries else ", those before it counted"
        return f"more than {self.budget.entries} entries{before}"

    def add(self, count: int) -> str | None:
        self.total += count
        if self.total > self.budget.total_bytes:
            return f"the artifact unpacks to more than {self.budget.total_bytes} bytes"
        if _is_over_ratio(self.total, self.packed_total, self.budget):
            return f"the artifact unpacks to more than {self.budget.ratio} times its size"
        return None


class _Bounded(io.RawIOBase):
    """A member's bytes, until one of the bounds is reached."""

    def __init__(self, source: IO[bytes], name: str, meter: _Meter) -> None:
        super().__init__()
        self._source = source
        self._name = name
        self._meter = meter
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview[int]") -> int:  # type: ignore[override]  # its type is private
        try:
            piece = self._source.read(len(buffer))
        except _DAMAGE as error:
            raise Rejected(self._name, f"a damaged entry: {error}") from error
        self._count += len(piece)
        reason = self._meter.add(len(piece))
        if self._count > self._meter.budget.entry_bytes:
            reason = f"more than {self._meter.budget.entry_bytes} bytes"
        if reason is not None:
            raise Rejected(self._name, reason)
        buffer[: len(piece)] = piece
        return len(piece)


def _is_over_ratio(unpacked: int, packed: int, budget: UnpackBudget) -> bool:
    return unpacked > _RATIO_FREE_BYTES and unpacked > packed * budget.ratio
