"""The local files of a job execution: found, told apart, packed; one that is missing is a gap."""

import io
import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from app.domain.checkout import Checkout, tested_checkout
from app.domain.gap import Gap, GapKind
from app.domain.joblog.job_log import JobLog, read_job_log
from app.domain.joblog.rank_log import is_results_candidate, is_text_log, rank_of
from app.domain.run import Conclusion
from app.store import blobs
from app.store.artifacts import FileKind
from worker.fetching.job_logs import LIMIT_BYTES
from worker.ingest.manifest import Entry
from worker.received_bundles import is_bundle

ORIGIN = "ingest"
"""What stands for the artifact's name beside a local file."""
MOST_FILES = 10_000
LONGEST_PATH = 500
"""Of a longer one the store keeps the end."""
RESULTS_BYTES = 2 * 1024**3
"""A larger results file is refused: more than any suite writes, and it is kept as a whole."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A packed file. `path` is as the manifest names it, below the folder it names if it names a folder."""

    origin: str
    path: str
    kind: FileKind
    blob: blobs.PackedBlob
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """`missing` are those of the gaps that a person should hear of at once, as `field: reason`."""

    files: tuple[LocalFile, ...]
    gaps: tuple[Gap, ...]
    missing: tuple[str, ...]
    checkout: Checkout | None
    named: int
    """How many files were meant, those that are missing among them."""


def gather_sources(entry: Entry) -> Sources:
    """Pack the results, the ranks' logs and a red job's log; bad files cost only themselves."""
    gatherer = _Gatherer(entry)
    for path in dict.fromkeys(entry.paths):
        gatherer.add_path(path)
    named = len(gatherer.files) + len(gatherer.missing) + (entry.log is not None)
    if entry.log is not None:
        gatherer.add_log(entry.log)
    return Sources(
        tuple(gatherer.files), tuple(gatherer.gaps), tuple(gatherer.missing), gatherer.checkout, named
    )


def is_stored(entry: Entry, job: int, stored: Collection[tuple[int | None, str, str]]) -> bool:
    """Whether each file of the entry that is there now is among those stored (job, origin and path)."""
    for path in entry.paths:
        place = entry.folder / path
        below = [name for name, _ in _walk(place)] if place.is_dir() else []
        names = [_joined(path, name) for name in below] if place.is_dir() else [path]
        if place.exists() and any((job, ORIGIN, name[-LONGEST_PATH:]) not in stored for name in names):
            return False
    is_kept = entry.log is not None and entry.conclusion is not Conclusion.SUCCESS
    if is_kept and entry.log is not None and (entry.folder / entry.log).exists():
        return (job, "log", entry.log[-LONGEST_PATH:]) in stored
    return True


class _Gatherer:
    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        self.files: list[LocalFile] = []
        self.gaps: list[Gap] = []
        self.missing: list[str] = []
        self.checkout: Checkout | None = None

    def add_path(self, path: str) -> None:
        found = 0
        try:
            for found, file in enumerate(named_files(self._entry.folder, path), start=1):  # noqa: B007 - counted
                self._add_file(*file)
        except OSError as error:
            self._lacks("paths", path, GapKind.NO_RESULTS_FILE, _reason(error))
        else:
            if not found:
                self._lacks("paths", path, GapKind.NO_RESULTS_FILE, "the folder holds no results")

    def add_log(self, path: str) -> None:
        entry = self._entry
        try:
            with _open(entry.folder / path) as file:
                log = read_job_log(_start_over(file))
                self.checkout = _checkout(log, entry)
                if entry.conclusion is Conclusion.SUCCESS:
                    return  # read for what it checked out; only red jobs' logs are kept
                packed, cut = _pack_log(file)
        except OSError as error:
            self._lacks("log", path, GapKind.LOG_GONE, _reason(error))
            return
        if cut:
            detail = f"only {LIMIT_BYTES} bytes of it were taken"
            self.gaps.append(Gap(GapKind.LOG_CUT, entry.job, detail))
        self.files.append(LocalFile("log", path, FileKind.JOB_LOG, packed, cut))

    def _add_file(self, path: str, place: Path, kind: FileKind) -> None:
        with _open(place) as file:
            size = os.fstat(file.fileno()).st_size
            if size > RESULTS_BYTES:
                detail = f"{size} bytes, more than {RESULTS_BYTES}"
                self.gaps.append(Gap(GapKind.FILE_REFUSED, path, detail))
                return
            self.files.append(LocalFile(ORIGIN, path, kind, blobs.PackedBlob(file)))

    def _lacks(self, field: str, path: str, kind: GapKind, reason: str) -> None:
        self.gaps.append(Gap(kind, path, reason))
        self.missing.append(f"field {field}: {path}: {reason}")


def named_files(folder: Path, path: str) -> Iterator[tuple[str, Path, FileKind]]:
    """What a path names: itself, or what we read below it. Raises OSError, perhaps after some files.

    A file that is named is meant: what it holds decides, not how it is called.
    """
    place = folder / path
    if not place.is_dir():
        yield path, place, _kind_of(path) or FileKind.RESULTS
        return
    for below, kind in _walk(place):
        yield _joined(path, below), place / below, kind


def obstacle(place: Path) -> str | None:
    """Why nothing can be read at a place; None where it is a folder or a file that opens."""
    try:
        if place.is_dir():
            os.scandir(place).close()
        else:
            _open(place).close()
    except OSError as error:
        return _reason(error)
    return None


def _joined(folder: str, name: str) -> str:
    return f"{folder.rstrip('/')}/{name}"


def _walk(folder: Path) -> Iterator[tuple[str, FileKind]]:
    """What we read below a folder, in the order of names; links to folders are not followed.

    What a replay left is no result of the job: its bundles are passed over.
    """
    found = 0
    for base, folders, names in os.walk(folder, onerror=_raise):
        folders.sort()
        if is_bundle(names):
            folders.clear()
            continue
        for name in sorted(names):
            place = Path(base, name)
            kind = _kind_of(place.relative_to(folder).as_posix())
            if kind is not None and place.is_file():
                found += 1
                if found > MOST_FILES:
                    raise OSError(f"more than {MOST_FILES} files in one folder")
                yield place.relative_to(folder).as_posix(), kind


def _raise(error: OSError) -> None:
    raise error


def _kind_of(path: str) -> FileKind | None:
    if is_results_candidate(path):
        return FileKind.RESULTS
    return FileKind.RANK_LOG if is_text_log(path) and rank_of(path) is not None else None


def _open(place: Path) -> BinaryIO:
    """Open a regular file; reading a pipe or a device might never end."""
    if place.exists() and not stat.S_ISREG(place.stat().st_mode):
        raise OSError("not a regular file")
    return place.open("rb")


def _start_over(file: BinaryIO) -> BinaryIO:
    file.seek(0)
    return file


def _checkout(log: JobLog, entry: Entry) -> Checkout | None:
    return tested_checkout(log.checkouts, entry.repo)


def _pack_log(file: BinaryIO) -> tuple[blobs.PackedBlob, bool]:
    """Of a log over the limit, the first quarter and the last three, as the log of a run on GitHub."""
    size = os.fstat(file.fileno()).st_size
    _start_over(file)
    if size <= LIMIT_BYTES:
        return blobs.PackedBlob(file), False
    head = file.read(LIMIT_BYTES // 4)
    file.seek(size - (LIMIT_BYTES - LIMIT_BYTES // 4))
    mark = f"\n[{size - LIMIT_BYTES} bytes of this log were left out here]\n".encode()
    return blobs.PackedBlob(io.BytesIO(head + mark + file.read())), True


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
