"""Bytes by their own digest, compressed: failure texts and the files that results were read from.

They live in the database, not on disk, so that a failure and its text are committed together and every
host sees them.
"""

import hashlib
import io
import zlib
from typing import BinaryIO

from sqlalchemy import LargeBinary, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.store.base import Base, ShortText
from app.store.upsert import insert_missing

READ_BYTES = 1024 * 1024

REMOVED = ""
"""The digest of a text that was removed, since it was past its time."""


class BlobRow(Base):
    __tablename__ = "blobs"

    digest: Mapped[str] = mapped_column(ShortText(64), primary_key=True)
    size_bytes: Mapped[int]
    packed: Mapped[bytes] = mapped_column(LargeBinary)


class PackedBlob:
    """Bytes compressed and digested outside any transaction, chunk by chunk."""

    def __init__(self, source: BinaryIO) -> None:
        digest, packer, packed, size = hashlib.sha256(), zlib.compressobj(6), io.BytesIO(), 0
        while chunk := source.read(READ_BYTES):
            digest.update(chunk)
            packed.write(packer.compress(chunk))
            size += len(chunk)
        packed.write(packer.flush())
        self.digest, self.size_bytes, self.packed = digest.hexdigest(), size, packed.getvalue()


def pack(content: bytes | str) -> PackedBlob:
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return PackedBlob(io.BytesIO(raw))


def keep(session: Session, *blobs: PackedBlob) -> None:
    """Store blobs; one that is there already is not written again."""
    rows = [
        {"digest": blob.digest, "size_bytes": blob.size_bytes, "packed": blob.packed}
        for blob in {blob.digest: blob for blob in blobs}.values()
    ]
    insert_missing(session, BlobRow, rows, unique=["digest"])


def read(session: Session, digest: str) -> bytes:
    """The bytes of a small blob; a file that may be large is read by `stream`."""
    return zlib.decompress(session.get_one(BlobRow, digest).packed)


def text(session: Session, digest: str) -> str:
    return read(session, digest).decode("utf-8", "replace")


def texts(session: Session, digests: set[str]) -> dict[str, str]:
    """Texts by digest; one that was removed is empty."""
    statement = select(BlobRow.digest, BlobRow.packed).where(BlobRow.digest.in_(digests))
    removed = {REMOVED: ""} if REMOVED in digests else {}
    return removed | {
        digest: zlib.decompress(packed).decode("utf-8", "replace")
        for digest, packed in session.execute(statement)
    }


def stream(session: Session, digest: str) -> BinaryIO:
    """The bytes as a stream: only the compressed form is in memory as a whole."""
    return io.BufferedReader(_Unpacking(session.get_one(BlobRow, digest).packed), READ_BYTES)


class _Unpacking(io.RawIOBase):
    def __init__(self, packed: bytes) -> None:
        super().__init__()
        self._unpacker, self._rest = zlib.decompressobj(), packed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "bytearray | memoryview") -> int:  # type: ignore[override]  # as RawIOBase has it
        chunk = self._unpacker.decompress(self._rest, len(buffer))
        self._rest = self._unpacker.unconsumed_tail
        buffer[: len(chunk)] = chunk
        return len(chunk)
