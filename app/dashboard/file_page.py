"""One kept file: its end as text, and the whole of it to be taken away."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final

from sqlalchemy.orm import Session

from app.dashboard import links, parts, views
from app.dashboard.contexts import FilePage
from app.dashboard.links import GitHubLinks
from app.store import blobs
from app.store.screens import attempt_lines, one_test

FILE_TAIL: Final = 256 * 1024
"""Characters of a kept file that one page shows: its end, where a log says how it went."""
FILE_READ_BYTES: Final = 64 * 1024 * 1024
"""Beyond this a file is not unpacked for a page."""
CHUNK_BYTES: Final = 256 * 1024
LONGEST_NAME: Final = 100


@dataclass(frozen=True, slots=True)
class KeptFile:
    """`name` holds nothing that a header or a file system could misunderstand."""

    name: str
    chunks: Iterator[bytes]


def kept_file(session: Session, key: int) -> KeptFile | None:
    """The file as it was kept, unpacked while it is read, also after the session; None if there is none."""
    line = one_test.file(session, key)
    if line is None:
        return None
    name = re.sub(r"[^0-9A-Za-z._-]", "_", line.path.rpartition("/")[2])[-LONGEST_NAME:].lstrip(".-")
    return KeptFile(name or "file", _chunks(blobs.stream(session, line.blob)))


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    with stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk


def file_page(session: Session, key: int, github: GitHubLinks, *, now: datetime) -> FilePage | None:
    """The end of a kept file as text, whatever its bytes are; None if there is no such file."""
    line = one_test.file(session, key)
    if line is None:
        return None
    attempt = attempt_lines.by_key(session, {line.attempt})[line.attempt]
    shown = views.file(line)
    return FilePage(
        title=line.path,
        section="main",
        asked_at=now,
        path=line.path,
        what=shown.what,
        download=parts.Link("Download", links.to_download(line.key)),
        attempt=views.attempt(attempt, github),
        text=_end_of(session, line),
    )


def _end_of(session: Session, line: one_test.FileLine) -> parts.Text:
    read_bytes, end = 0, b""
    with blobs.stream(session, line.blob) as stream:
        while read_bytes < FILE_READ_BYTES and (chunk := stream.read(CHUNK_BYTES)):
            read_bytes += len(chunk)
            end = (end + chunk)[-FILE_TAIL:]
    notes = []
    if read_bytes > len(end):
        notes.append(f"{read_bytes - len(end):,} bytes before this are not shown")
    if read_bytes >= FILE_READ_BYTES:
        notes.append("the file goes on after this")
    if line.cut:
        notes.append("the file was cut when it was fetched")
    return parts.Text(end.decode("utf-8", "replace"), "; ".join(notes))
