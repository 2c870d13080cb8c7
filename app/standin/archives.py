"""Artifacts as upload-artifact stores them: a zip written as a stream, sizes in data descriptors."""

import io
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer


class _Pipe(io.RawIOBase):
    """Cannot seek, so that the zip's writer cannot go back to fill in sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, chunk: "Buffer") -> int:
        piece = bytes(chunk)
        self.written += piece
        return len(piece)


def zip_of(files: Mapping[str, bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The same bytes for the same files: entries bear a fixed date. Names are stored as given."""
    with _Pipe() as pipe:
        with zipfile.ZipFile(pipe, "w", compression) as archive:
            for name, content in files.items():
                entry = zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
                entry.compress_type = compression
                archive.writestr(entry, content)
        return bytes(pipe.written)
