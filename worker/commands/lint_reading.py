"""The text of one Python file, as Python itself would decode it, and no more of it than can be linted."""

import io
import tokenize
from pathlib import Path

from app.domain.errors import Rejected

MOST_BYTES = 8_000_000
"""Four times the characters that are linted, since one may take four bytes."""
TOO_SLOW = frozenset({"idna", "punycode"})
"""Encodings of domain names, whose decoding takes the square of the length."""


def read_source(path: Path, shown: str) -> str:
    """Decoded by its byte order mark or coding comment (PEP 263), else UTF-8; line ends are line feeds.

    Raises Rejected where it cannot be: for what is no file, too long, or not of the encoding that it says.
    """
    try:
        if not path.is_file():
            raise Rejected(shown, "is no regular file")
        with path.open("rb") as stream:
            raw = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise Rejected(shown, (error.strerror or str(error)).lower()) from error
    if len(raw) > MOST_BYTES:
        raise Rejected(shown, f"is longer than {MOST_BYTES:,} bytes")
    return _decoded(raw, shown).replace("\r\n", "\n").replace("\r", "\n")


def _decoded(raw: bytes, shown: str) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    except SyntaxError as error:
        raise Rejected(shown, f"line 1: {error.msg.removesuffix(f' for {shown!r}')}") from error
    if encoding in TOO_SLOW or not _is_like_ascii(encoding, shown):
        raise Rejected(shown, f"line 1: {encoding} is no encoding of Python that is read here")
    try:
        return raw.decode(encoding)
    except UnicodeError as error:
        place = raw.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else 1
        raise Rejected(
            shown, f"line {place}: is not {encoding}; a file of another encoding names it in its first lines"
        ) from error


def _is_like_ascii(encoding: str, shown: str) -> bool:
    """Where it is not, the comment that names it would be nonsense in it, and so would all that follows."""
    try:
        return b"# coding".decode(encoding) == "# coding"
    except UnicodeError:
        return False
    except LookupError as error:
        raise Rejected(shown, f"line 1: {encoding} is no encoding of text") from error
